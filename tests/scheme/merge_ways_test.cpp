// Merged ways against numbers worked out by hand.
#include "scheme/merge_ways.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;
using Weighed = std::vector<std::pair<double, Doubles>>;

Doubles merged(void (*merge)(Ways, Vector), const Weighed& all) {
  Doubles result(all.front().second.size(), 99.0);
  merge(
      [&](TakeWay take) {
        for (const auto& [weight, way] : all) take(weight, ConstVector(std::span(way)));
      },
      Vector(std::span(result)));
  return result;
}

void check_merged(void (*merge)(Ways, Vector), const Weighed& all, const Doubles& expected) {
  const Doubles found = merged(merge, all);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    CAPTURE(j);
    CHECK(found[j] == Approx(expected[j]).epsilon(1e-12).margin(1e-14));
  }
}

}  // namespace

TEST_CASE("ways keep their length by radial-directional averaging", "[scheme]") {
  const double half_root = std::sqrt(0.5);
  check_merged(radial_directional_average, {{1.0, {1.0, 0.0}}, {1.0, {0.0, 1.0}}},
               {half_root, half_root});
  // Length (4 · 3 + 1 · 2)/5 = 2.8 along (4, 1)/√17.
  check_merged(radial_directional_average, {{4.0, {3.0, 0.0}}, {1.0, {0.0, 2.0}}},
               {2.8 * 4.0 / std::sqrt(17.0), 2.8 / std::sqrt(17.0)});
  check_merged(radial_directional_average, {{2.0, {0.3, -0.4}}, {5.0, {0.3, -0.4}}}, {0.3, -0.4});
  // Somebody who has not moved shortens it, and has no direction.
  check_merged(radial_directional_average, {{1.0, {2.0, 0.0}}, {1.0, {0.0, 0.0}}}, {1.0, 0.0});
}

TEST_CASE("ways that cancel are merged by their mean", "[scheme]") {
  check_merged(radial_directional_average, {{1.0, {3.0, 0.0}}, {1.0, {-1.0, 0.0}}}, {1.0, 0.0});
  check_merged(radial_directional_average, {{1.0, {0.0, 0.0}}, {1.0, {0.0, 0.0}}}, {0.0, 0.0});
}

TEST_CASE("the weighted mean of ways", "[scheme]") {
  check_merged(weighted_mean, {{4.0, {3.0, 0.0}}, {1.0, {0.0, 2.0}}}, {2.4, 0.4});
}
