#include "trainyard/collective/parameter_server.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "trainyard/base/even_split.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr std::size_t length = 2520;

/// One synchronous exchange: everyone pushes, the servers sum, everyone pulls.
RuntimeReport exchange(const test::Runtime& runtime, int n, int k, const Network& network,
                       std::vector<std::vector<float>>& vectors) {
  return runtime.run(setup_of(n, k, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() < n) {
      auto& vector = vectors[static_cast<std::size_t>(rank.rank())];
      push(rank, vector);
      pull(rank, vector);
      return;
    }
    std::vector<float> whole(length);
    const auto sum = even_split(std::span(whole), rank.rank() - n, k);
    sum_pushes(rank, sum);
    answer_all(rank, sum);
  });
}

}  // namespace

TEST_CASE("push, sum, answer, pull: everyone holds the sum", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 5}) {
      for (const int k : {1, 2, 4, 7}) {
        CAPTURE(runtime.name, n, k);
        std::vector<std::vector<float>> vectors(static_cast<std::size_t>(n),
                                                std::vector<float>(length));
        for (auto& vector : vectors) std::iota(vector.begin(), vector.end(), 1.0F);
        exchange(runtime, n, k, {}, vectors);
        for (const auto& vector : vectors) {
          for (std::size_t j = 0; j < length; ++j) {
            REQUIRE(vector[j] == static_cast<float>(n) * static_cast<float>(j + 1));
          }
        }
      }
    }
  }
}

TEST_CASE("an exchange with k servers takes 2·max(n, k)(α + t/k)", "[collective]") {
  const Network network{.latency = seconds(1.5), .bytes_per_second = 4.0 * length / 5.0};
  for (int n = 1; n <= 9; ++n) {
    for (int k = 1; k <= 9; ++k) {
      CAPTURE(n, k);
      std::vector<std::vector<float>> vectors(static_cast<std::size_t>(n),
                                              std::vector<float>(length));
      const RuntimeReport report = exchange(test::runtimes()[0], n, k, network, vectors);
      const double closed_form = 2 * std::max(n, k) * (1.5 + 5.0 / k);
      if (k <= n) {
        CHECK(to_seconds(report.elapsed) == Approx(closed_form).epsilon(1e-9));
      } else {
        CHECK(to_seconds(report.elapsed) <= closed_form * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("versions travel with the shards, free of charge", "[collective]") {
  std::vector<std::uint64_t> got(2, 0);
  std::vector<std::uint64_t> seen;
  std::vector<float> vector(length);
  const RuntimeReport report = run_virtual(setup_of(1, 2), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) {
      const std::vector<std::uint64_t> mine{7, 9};
      push(rank, vector, mine);
      pull(rank, vector, got);
    } else {
      const Message message = rank.receive(0);
      seen.push_back(message.tag());
      rank.send(0, message.floats(), message.tag() + 1);
    }
  });
  CHECK(seen == std::vector<std::uint64_t>{7, 9});
  CHECK(got == std::vector<std::uint64_t>{8, 10});
  CHECK(report.accounts[0].bytes_sent == length * 4);
}
