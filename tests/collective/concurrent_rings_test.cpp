// Rings that are under way at once sum as one after another would.
#include "trainyard/collective/concurrent_rings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/collective/all_reduce.hpp"

#include "support/catch.hpp"
#include "support/random_network.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

/// [worker][ring][number]
template <typename T>
using Values = std::vector<std::vector<std::vector<T>>>;

template <typename T>
Values<T> random_values(int n, const std::vector<std::size_t>& lengths, RandomStream& random) {
  Values<T> all(static_cast<std::size_t>(n));
  for (auto& of_worker : all) {
    for (const std::size_t length : lengths) {
      auto& of_ring = of_worker.emplace_back(length);
      for (T& value : of_ring) value = static_cast<T>(random.normal());
    }
  }
  return all;
}

template <typename T>
bool same_bits(const Values<T>& a, const Values<T>& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    for (std::size_t r = 0; r < a[w].size(); ++r) {
      const std::vector<T>&x = a[w][r], &y = b[w][r];
      if (x.size() != y.size()) return false;
      if (!x.empty() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) != 0) return false;
    }
  }
  return true;
}

/// A ring_sum() after the other.
template <typename T>
RuntimeReport sum_in_turn(const test::Runtime& runtime, const Network& network, int rounds,
                          Values<T>& values) {
  return runtime.run(setup_of(static_cast<int>(values.size()), 0, network), [&](Rank& rank) {
    rank.begin();
    for (int round = 0; round < rounds; ++round) {
      for (auto& of_ring : values[static_cast<std::size_t>(rank.rank())]) ring_sum(rank, of_ring);
    }
  });
}

/// All at once: each worker computes for a time of its own before each start.
template <typename T>
RuntimeReport sum_at_once(const test::Runtime& runtime, const Network& network, int rounds,
                          Duration slowest, Values<T>& values, const Codec* codec = nullptr) {
  return runtime.run(setup_of(static_cast<int>(values.size()), 0, network), [&](Rank& rank) {
    RandomStream random(7, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    ConcurrentRings rings(rank, codec);
    rank.begin();
    for (int round = 0; round < rounds; ++round) {
      auto& of_worker = values[static_cast<std::size_t>(rank.rank())];
      for (std::size_t r = 0; r < of_worker.size(); ++r) {
        rank.compute_serving(
            {.simulated = scaled(slowest, random.uniform())}, [] {},
            [&](Message& message) {
              rings.take(message);
              return true;
            });
        rings.start(r, of_worker[r]);
      }
      rings.finish();
      require(rings.under_way() == 0, "nothing is left");
    }
  });
}

template <typename T>
void check_bits(const test::Runtime& runtime, std::uint64_t seed) {
  RandomStream random(seed, Purpose::scheme);
  const int n = 1 + static_cast<int>(random.below(9));
  const int rounds = 1 + static_cast<int>(random.below(3));
  std::vector<std::size_t> lengths(1 + random.below(7));
  for (std::size_t& length : lengths) length = random.below(60);
  const bool perfect = random.below(3) == 0;
  const Network network = perfect ? Network{} : test::random_network(random);
  CAPTURE(runtime.name, seed, n, rounds, lengths, perfect);
  const Values<T> values = random_values<T>(n, lengths, random);
  Values<T> in_turn = values, at_once = values;
  const RuntimeReport plain = sum_in_turn(runtime, network, rounds, in_turn);
  const RuntimeReport report = sum_at_once(runtime, network, rounds, seconds(2e-3), at_once);
  CHECK(same_bits(at_once, in_turn));
  for (std::size_t w = 0; w < report.accounts.size(); ++w) {
    CHECK(report.accounts[w].bytes_sent == plain.accounts[w].bytes_sent);
    CHECK(report.accounts[w].bytes_received == plain.accounts[w].bytes_received);
    CHECK(report.accounts[w].messages_sent == plain.accounts[w].messages_sent);
  }
}

}  // namespace

TEST_CASE("rings under way at once have the bits and bytes of rings in turn", "[collective]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    check_bits<float>(test::runtimes()[0], seed);
    check_bits<double>(test::runtimes()[0], seed + 1000);
  }
  for (std::uint64_t seed = 1; seed <= 12; ++seed) check_bits<float>(test::runtimes()[1], seed);
}

TEST_CASE("more rings than may be under way wait for those before them", "[collective]") {
  // Small chunks in any number: without a bound all workers would wait for room in their channels.
  const std::vector<std::size_t> lengths(700, 5);
  for (const test::Runtime& runtime : test::runtimes()) {
    RandomStream random(3, Purpose::scheme);
    const Values<float> values = random_values<float>(3, lengths, random);
    Values<float> in_turn = values, at_once = values;
    sum_in_turn(runtime, {}, 1, in_turn);
    runtime.run(setup_of(3), [&](Rank& rank) {
      ConcurrentRings rings(rank);
      rank.begin();
      std::size_t most = 0;
      auto& of_worker = at_once[static_cast<std::size_t>(rank.rank())];
      for (std::size_t r = 0; r < of_worker.size(); ++r) {
        rings.start(r, of_worker[r]);
        most = std::max(most, rings.under_way());
      }
      rings.finish();
      require(most == ConcurrentRings::most_under_way, "so many, and no more");
    });
    CAPTURE(runtime.name);
    CHECK(same_bits(at_once, in_turn));
  }
}

TEST_CASE("rings that start together take as long as one after another", "[collective]") {
  // Their messages share each port, which is never idle: 2(n-1) messages of each ring.
  const Network network{.latency = std::chrono::milliseconds(3), .bytes_per_second = 1e4};
  for (const int n : {2, 3, 5}) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<std::size_t> lengths{40 * size, 10 * size, 25 * size};
    RandomStream random(3, Purpose::scheme);
    Values<float> values = random_values<float>(n, lengths, random);
    const RuntimeReport report = sum_at_once(test::runtimes()[0], network, 1, Duration{0}, values);
    const double expected = 2 * (n - 1) * (3 * 3e-3 + 4.0 * (40 + 10 + 25) / 1e4);
    CAPTURE(n);
    CHECK(to_seconds(report.elapsed) == Approx(expected).epsilon(1e-9));
  }
}

namespace {

/// To the nearest number of 5 exponent and 10 fraction bits, ties to even.
float to_half(float x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const float quantum = std::ldexp(1.0F, std::max(exponent, -13) - 11);
  return std::nearbyint(x / quantum) * quantum;
}

}  // namespace

TEST_CASE("with a codec of 16 bits rings sum as numbers of 16 bits do", "[collective]") {
  const auto half = make_codec("fp16");
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 5, 8}) {
      RandomStream random(static_cast<std::uint64_t>(n), Purpose::scheme);
      const std::vector<std::size_t> lengths{37, 0, 3, 64};
      Values<float> values = random_values<float>(n, lengths, random);
      for (auto& of_worker : values) {
        for (auto& of_ring : of_worker) {
          for (float& value : of_ring) value = to_half(value * 1e-3F);  // some are subnormal
        }
      }
      // By hand: part p begins at worker p + 1, goes once around, and each sum is rounded.
      Values<float> expected = values;
      for (std::size_t r = 0; r < lengths.size(); ++r) {
        for (int p = 0; p < n; ++p) {
          const auto cut = [&](int i) {
            return lengths[r] * static_cast<std::size_t>(i) / static_cast<std::size_t>(n);
          };
          for (std::size_t j = cut(p); j < cut(p + 1); ++j) {
            float sum = 0.0F;
            for (int hop = 1; hop <= n; ++hop) {
              sum = to_half(sum + values[static_cast<std::size_t>((p + hop) % n)][r][j]);
            }
            for (auto& of_worker : expected) of_worker[r][j] = sum;
          }
        }
      }
      Values<float> plain = values;
      const Network network{.latency = std::chrono::microseconds(10), .bytes_per_second = 1e8};
      const RuntimeReport floats = sum_at_once(runtime, network, 1, Duration{0}, plain);
      const RuntimeReport report =
          sum_at_once(runtime, network, 1, Duration{0}, values, half.get());
      CAPTURE(runtime.name, n);
      CHECK(same_bits(values, expected));
      if (n > 1) CHECK_FALSE(same_bits(values, plain));
      for (std::size_t w = 0; w < report.accounts.size(); ++w) {
        CHECK(2 * report.accounts[w].bytes_sent == floats.accounts[w].bytes_sent);
      }
    }
  }
}

TEST_CASE("a ring is not started twice", "[collective]") {
  CHECK_THROWS_AS(run_virtual(setup_of(2),
                              [](Rank& rank) {
                                rank.begin();
                                std::vector<float> vector(4);
                                ConcurrentRings rings(rank);
                                rings.start(0, vector);
                                rings.start(0, vector);
                              }),
                  InternalError);
}
