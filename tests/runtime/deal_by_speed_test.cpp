// Portions in proportion to speeds. That runs take them is in tests/run/deal_by_speed_test.cpp.
#include "trainyard/runtime/deal_by_speed.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

namespace trainyard {

using Counts = std::vector<std::size_t>;

TEST_CASE("portions are in proportion to speeds, by largest remainders", "[runtime]") {
  CHECK(in_proportion(std::vector{1.0, 1.0, 2.0}, 8) == Counts{2, 2, 4});
  CHECK(in_proportion(std::vector{1.0, 1.0, 1.0}, 4) == Counts{2, 1, 1});
  CHECK(in_proportion(std::vector{1.0, 1.0, 1.0, 0.25}, 256) == Counts{79, 79, 79, 19});
  CHECK(in_proportion(std::vector{0.3}, 7) == Counts{7});
}

TEST_CASE("nobody is without rows", "[runtime]") {
  CHECK(in_proportion(std::vector{1.0, 1e9}, 3) == Counts{1, 2});
  CHECK(in_proportion(std::vector{1e-300, 1.0, 1e300}, 3) == Counts{1, 1, 1});
  CHECK(in_proportion(std::vector{1.0, 1.0, 1e6, 1e6}, 9) == Counts{1, 1, 4, 3});
}

TEST_CASE("portions of random speeds are within a row of the proportion", "[runtime]") {
  const std::uint64_t seed = 20261130;
  CAPTURE(seed);
  RandomStream random(seed, Purpose::scheme, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t workers = 1 + random.below(40);
    std::vector<double> speeds(workers);
    for (double& speed : speeds) speed = 1.0 + random.uniform();  // within a factor of two
    const std::size_t rows = 2 * workers + random.below(1000);
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    const Counts counts = in_proportion(speeds, rows);
    REQUIRE(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == rows);
    for (std::size_t i = 0; i < workers; ++i) {
      const double exact = static_cast<double>(rows) * speeds[i] / all;
      REQUIRE(std::abs(static_cast<double>(counts[i]) - exact) <= 1.0 + 1e-9);
    }
  }
}

}  // namespace trainyard
