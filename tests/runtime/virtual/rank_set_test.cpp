#include "runtime/virtual/rank_set.hpp"

#include <set>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("a set of ranks gives the lowest first, and tells who is in it", "[runtime]") {
  for (const int ranks : {1, 5, 63, 64, 65, 200}) {
    RandomStream random(static_cast<std::uint64_t>(ranks), Purpose::scheme);
    RankSet set(static_cast<std::size_t>(ranks));
    std::set<int> expected;
    for (int action = 0; action < 2000; ++action) {
      // In turn it fills and empties.
      if (random.below(10) < (action / 300 % 2 == 0 ? 7U : 3U)) {
        const auto rank = static_cast<int>(random.below(static_cast<std::uint32_t>(ranks)));
        set.add(rank);
        expected.insert(rank);
      } else if (!expected.empty()) {
        CHECK(set.lowest() == *expected.begin());
        CHECK(set.take_lowest() == *expected.begin());
        expected.erase(expected.begin());
      }
      CHECK(set.empty() == expected.empty());
      constexpr int count = 8;
      const int beyond = ranks / count + 20;  // some words more than there are
      const int first = count * static_cast<int>(random.below(static_cast<std::uint32_t>(beyond)));
      const std::uint64_t among = set.among(first, count);
      for (int i = 0; i < count; ++i) {
        CHECK((among >> i & 1U) == expected.count(first + i));
        CHECK(set.contains(first + i) == expected.contains(first + i));
      }
      CHECK(among >> count == 0);
    }
  }
}
