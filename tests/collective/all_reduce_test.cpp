#include "trainyard/collective/all_reduce.hpp"

#include <cstring>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

using Vectors = std::vector<std::vector<float>>;

Vectors reduced(const test::Runtime& runtime, Vectors vectors, const Network& network,
                RuntimeReport* report = nullptr) {
  const auto result =
      runtime.run(setup_of(static_cast<int>(vectors.size()), 0, network), [&](Rank& rank) {
        rank.begin();
        all_reduce_mean(rank, vectors[static_cast<std::size_t>(rank.rank())], Ring{});
      });
  if (report != nullptr) *report = result;
  return vectors;
}

}  // namespace

TEST_CASE("the ring's mean is the serial mean, and the same bits everywhere", "[collective]") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  RandomStream random(seed, Purpose::scheme);
  for (const auto& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 9}) {
      for (const std::size_t length : {0, 1, n - 1, n, 10 * n + 3, 1000}) {
        CAPTURE(runtime.name, n, length);
        // Whole numbers times n: sums and means are exact, whatever their order.
        Vectors vectors(static_cast<std::size_t>(n), std::vector<float>(length));
        std::vector<double> mean(length, 0.0);
        for (auto& vector : vectors) {
          for (std::size_t j = 0; j < length; ++j) {
            vector[j] = static_cast<float>(static_cast<int>(random.below(2001)) - 1000) *
                        static_cast<float>(n);
            mean[j] += vector[j] / n;
          }
        }
        for (const auto& vector : reduced(runtime, vectors, {})) {
          for (std::size_t j = 0; j < length; ++j)
            REQUIRE(vector[j] == Approx(mean[j]).epsilon(1e-6).margin(1e-3));
        }
        for (auto& vector : vectors) {
          for (float& value : vector) value = static_cast<float>(random.normal());
        }
        const Vectors result = reduced(runtime, vectors, {});
        for (const auto& vector : result) {
          REQUIRE(vector.size() == length);
          REQUIRE(std::memcmp(vector.data(), result[0].data(), length * sizeof(float)) == 0);
        }
      }
    }
  }
}

TEST_CASE("both runtimes give the same bits", "[collective]") {
  RandomStream random(4, Purpose::scheme);
  Vectors vectors(5, std::vector<float>(103));
  for (auto& vector : vectors) {
    for (float& value : vector) value = static_cast<float>(random.normal());
  }
  CHECK(reduced(test::runtimes()[0], vectors, {}) == reduced(test::runtimes()[1], vectors, {}));
}

TEST_CASE("the ring takes 2(n-1)(α + t/n) and sends 2(n-1)/n of the vector", "[collective]") {
  for (int n = 1; n <= 9; ++n) {
    CAPTURE(n);
    const std::size_t length = 2520;  // divisible by 1 to 9
    const Network network{.latency = seconds(1.5), .bytes_per_second = 4.0 * length / 5.0};
    RuntimeReport report;
    reduced(test::runtimes()[0], Vectors(static_cast<std::size_t>(n), std::vector<float>(length)),
            network, &report);
    CHECK(to_seconds(report.elapsed) ==
          Approx(2 * (n - 1) * (1.5 + 5.0 / n)).epsilon(1e-9).margin(1e-12));
    for (const RankAccount& account : report.accounts) {
      CHECK(account.messages_sent == 2U * static_cast<unsigned>(n - 1));
      CHECK(account.bytes_sent ==
            2U * static_cast<unsigned>(n - 1) * length * 4 / static_cast<unsigned>(n));
    }
  }
}
