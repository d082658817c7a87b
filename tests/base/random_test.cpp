#include "trainyard/base/random.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

// Philox 4x32-10 with counter 0 and key 0: the first row of Random123's known-answer file
// (kat_vectors).
TEST_CASE("the generator is Philox 4x32-10", "[base]") {
  // Stream (seed 0, purpose 0, rank 0) has that key and counter.
  RandomStream random(0, static_cast<Purpose>(0), 0);
  CHECK(random.next_u32() == 0x6627e8d5U);
  CHECK(random.next_u32() == 0xe169c58dU);
  CHECK(random.next_u32() == 0xbc57ac4cU);
  CHECK(random.next_u32() == 0x9b00dbd8U);
}

TEST_CASE("streams repeat, and differ by seed, purpose and rank", "[base]") {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint32_t rank) {
    return RandomStream(seed, purpose, rank).next_u64();
  };
  const auto reference = first(1, Purpose::minibatch, 0);
  CHECK(first(1, Purpose::minibatch, 0) == reference);
  CHECK(first(2, Purpose::minibatch, 0) != reference);
  CHECK(first(1, Purpose::partition, 0) != reference);
  CHECK(first(1, Purpose::minibatch, 1) != reference);
  CHECK(first(1ULL << 32U, Purpose::minibatch, 0) != first(0, Purpose::minibatch, 0));
}

TEST_CASE("a stream's parts begin wherever it stands, and are all different", "[base]") {
  RandomStream random(1, Purpose::minibatch);
  const auto first = random.next_u64();
  random.next_u32();  // in the middle of a block
  random.jump_to(0);
  CHECK(random.next_u64() == first);
  random.jump_to(1);
  const auto of_part_one = random.next_u64();
  CHECK(of_part_one != first);
  random.jump_to(2);
  CHECK(random.next_u64() != of_part_one);
  random.normal();  // keeps a second number
  random.jump_to(1);
  RandomStream other(1, Purpose::minibatch);
  other.jump_to(1);
  CHECK(random.normal() == other.normal());
  CHECK(random.normal() == other.normal());
}

TEST_CASE("moments of the distributions", "[base]") {
  const std::uint64_t seed = 5;
  INFO("seed " << seed);
  constexpr int draws = 200000;
  struct Row {
    const char* name;
    double (*draw)(RandomStream&);
    double mean, variance;
  };
  for (const Row& row :
       {Row{"uniform", [](RandomStream& r) { return r.uniform(); }, 0.5, 1.0 / 12},
        Row{"normal", [](RandomStream& r) { return r.normal(); }, 0.0, 1.0},
        Row{"exponential", [](RandomStream& r) { return r.exponential(); }, 1.0, 1.0},
        Row{"gamma 3", [](RandomStream& r) { return r.gamma(3.0); }, 3.0, 3.0},
        Row{"gamma 0.1", [](RandomStream& r) { return r.gamma(0.1); }, 0.1, 0.1},
        Row{"below 7", [](RandomStream& r) { return static_cast<double>(r.below(7)); }, 3.0, 4.0},
        Row{"below 7, 32 bits", [](RandomStream& r) { return static_cast<double>(r.below32(7)); },
            3.0, 4.0},
        // Half of all draws are rejected: without that, the lower results would come twice as
        // often.
        Row{"below 2^31 + 1, 32 bits",
            [](RandomStream& r) { return r.below32(0x80000001U) / 2147483648.0; }, 0.5,
            1.0 / 12}}) {
    CAPTURE(row.name);
    RandomStream random(seed, Purpose::scheme);
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < draws; ++i) {
      const double value = row.draw(random);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / draws;
    const double variance = squares / draws - mean * mean;
    CHECK(mean == Approx(row.mean).margin(5 * std::sqrt(row.variance / draws)));
    CHECK(variance == Approx(row.variance).epsilon(0.05));
  }
}

TEST_CASE("a shuffle is a permutation, and every place is equally likely", "[base]") {
  const std::uint64_t seed = 3;
  INFO("seed " << seed);
  std::array<std::array<int, 5>, 5> seen{};  // [item][place]
  RandomStream random(seed, Purpose::partition);
  constexpr int repetitions = 20000;
  for (int i = 0; i < repetitions; ++i) {
    std::array<std::uint32_t, 5> items{0, 1, 2, 3, 4};
    random.shuffle(items);
    for (std::size_t place = 0; place < 5; ++place) ++seen[items[place]][place];
  }
  for (const auto& places : seen) {
    CHECK(std::accumulate(places.begin(), places.end(), 0) == repetitions);
    for (const int count : places) CHECK(count == Approx(repetitions / 5.0).margin(300));  // 5 σ
  }
}
