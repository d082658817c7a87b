// Messages that are read where they lie in their sender's memory.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/runtime/communicator.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr std::size_t many = 300001;  // floats; a quarter of them is still a long message

/// All-reduces in a row with every worker's vector changed before and after each, so that one that
/// is read too late shows.
std::vector<std::vector<float>> reduced(const test::Runtime& runtime, const AllReduce& way, int n) {
  std::vector<std::vector<float>> vectors(static_cast<std::size_t>(n), std::vector<float>(many));
  runtime.run(setup_of(n, way.servers(n, 2)), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() >= n) return way.serve(rank, Scalar::float32, many);
    auto& vector = vectors[static_cast<std::size_t>(rank.rank())];
    for (int round = 0; round < 3; ++round) {
      for (std::size_t j = 0; j < many; ++j) {
        vector[j] =
            0.1F * vector[j] + static_cast<float>(j % 97) / static_cast<float>(rank.rank() + 3);
      }
      all_reduce_sum(rank, vector, way);
    }
    vector[7] += static_cast<float>(rank.rank());
  });
  return vectors;
}

}  // namespace

TEST_CASE("all-reduces of long vectors give the same bits on threads as simulated",
          "[runtime][collective]") {
  for (const AllReduce& way : all_reduces()) {
    for (const int n : {2, 3, 4}) {
      CAPTURE(way.name, n);
      CHECK(reduced(test::runtimes()[0], way, n) == reduced(test::runtimes()[1], way, n));
    }
  }
}

TEST_CASE("what was lent has been read when the loans end", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const double latency : {0.0, 1e-4}) {
      CAPTURE(runtime.name, latency);
      bool right = true;
      const float* lent = nullptr;
      const float* read = nullptr;
      runtime.run(setup_of(2, 0, {.latency = seconds(latency)}), [&](Rank& rank) {
        rank.begin();
        std::vector<float> vector(many);
        for (int round = 0; round < 20; ++round) {
          const auto value = static_cast<float>(round);
          if (rank.rank() == 0) {
            std::ranges::fill(vector, value);
            Loans loans(rank);
            loans.send(1, vector);
            loans.send(1, std::span(vector).first(5));
            lent = vector.data();
          } else {
            for (const std::size_t size : {many, std::size_t{5}}) {
              const Message message = rank.receive(0);
              if (size == many) read = message.floats().data();
              std::this_thread::yield();
              right =
                  right && message.floats().size() == size &&
                  std::ranges::count(message.floats(), value) == static_cast<std::ptrdiff_t>(size);
            }
          }
        }
      });
      CHECK(right);
      CHECK((read == lent) == (runtime.run == run_wall && latency == 0.0));
    }
  }
}

TEST_CASE("a failure while memory is lent ends the run", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int failing : {0, 1, 2}) {
      CAPTURE(runtime.name, failing);
      CHECK_THROWS_WITH(
          runtime.run(setup_of(3),
                      [failing](Rank& rank) {
                        rank.begin();
                        // It lends, and then finds that what comes does not fit.
                        std::vector<float> vector(rank.rank() == failing ? 2 * many : many);
                        find_all_reduce("ring").sum(rank, vector);
                      }),
          ContainsSubstring("lengths differ"));
      CHECK_THROWS_WITH(runtime.run(setup_of(3),
                                    [failing](Rank& rank) {
                                      rank.begin();
                                      const std::vector<float> vector(many);
                                      Loans loans(rank);
                                      loans.send((rank.rank() + 1) % 3, vector);
                                      if (rank.rank() == failing) throw std::runtime_error("broke");
                                      (void)rank.receive(failing);
                                      (void)rank.receive(failing);
                                    }),
                        "broke");
    }
  }
}

TEST_CASE("a loan that nobody will read is given up when the others have ended", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::atomic<bool> ended{false};
    runtime.run(setup_of(2), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 1) return;
      const std::vector<float> vector(many);
      {
        Loans loans(rank);
        loans.send(1, vector);
      }
      ended = true;
    });
    CHECK(ended);
  }
}
