// Places at random: distinct, all of them, each set of them as likely as any other.
#include "codec/places.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("places are a permutation", "[codec]") {
  RandomStream random(81, Purpose::scheme);
  for (const std::size_t d : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 10U, 100U, 255U, 256U, 257U, 5000U}) {
    const std::uint64_t seed = random.next_u64();
    INFO("d " << d << ", seed " << seed);
    const RandomPlaces places(seed, d);
    std::vector<bool> taken(d, false);
    for (std::size_t j = 0; j < d; ++j) {
      REQUIRE(places[j] < d);
      CHECK_FALSE(taken[places[j]]);
      taken[places[j]] = true;
    }
  }
}

TEST_CASE("places of a long vector are within it", "[codec]") {
  const std::size_t d = (std::size_t{1} << 32) - 1;
  const RandomPlaces places(7, d);
  for (const std::size_t j : {std::size_t{0}, std::size_t{1}, d / 2, d - 1}) CHECK(places[j] < d);
  CHECK_THROWS(RandomPlaces(7, d + 1));
  CHECK_THROWS(RandomPlaces(7, 0));
}

TEST_CASE("each set of places is as likely as any other", "[codec]") {
  const std::uint64_t first_seed = 91;
  struct Row {
    std::size_t d, k;
    double sets;
  };
  for (const Row& row :
       {Row{3, 1, 3}, Row{5, 2, 10}, Row{7, 1, 7}, Row{7, 3, 35}, Row{8, 2, 28}, Row{12, 2, 66}}) {
    INFO("d " << row.d << ", k " << row.k << ", seed " << first_seed);
    RandomStream random(first_seed, Purpose::scheme);
    std::map<std::vector<std::size_t>, double> seen;
    constexpr double repetitions = 40'000;
    for (int i = 0; i < repetitions; ++i) {
      const RandomPlaces places(random.next_u64(), row.d);
      std::vector<std::size_t> set;
      for (std::size_t j = 0; j < row.k; ++j) set.push_back(places[j]);
      std::ranges::sort(set);
      seen[set] += 1.0;
    }
    REQUIRE(static_cast<double>(seen.size()) == row.sets);
    double chi_square = 0.0;
    for (const auto& [set, count] : seen) {
      const double expected = repetitions / row.sets;
      chi_square += (count - expected) * (count - expected) / expected;
    }
    const double freedom = row.sets - 1.0;
    CHECK(chi_square < freedom + 4.0 * std::sqrt(2.0 * freedom));
  }
}

}  // namespace trainyard
