#include "topology/equitopo.hpp"

#include <cmath>
#include <set>

#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("EquiDyn: a round contracts by √((1 − 1/n)/2) on average, whatever n is", "[topology]") {
  for (const int n : {2, 5, 9, 32, 60}) {
    CAPTURE(n);
    Topology all;
    for (int a = 1; a < n; ++a) all.matrices.push_back(directed_equidyn_matrix(n, a));
    CHECK(rms_contraction(all) == Approx(std::sqrt((1.0 - 1.0 / n) / 2)).epsilon(1e-12));
  }
}

TEST_CASE("EquiDyn: what is drawn for a run contracts as the mean of all draws does",
          "[topology]") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const int n = 8;
    // 256 draws of 7 distances: each matrix's share is within four standard deviations.
    CHECK(rms_contraction(make_topology("od-equidyn", n, seed)) == Approx(0.6614).margin(0.06));
    CHECK(rms_contraction(make_topology("ou-equidyn", n, seed)) == Approx(0.7126).margin(0.06));
    // The argument for a cycle: nothing is left of the first round's disagreement at its end.
    CHECK(cycle_contraction(make_topology("od-equidyn", 100, seed)) < 1e-12);
    CHECK(cycle_contraction(make_topology("ou-equidyn", 100, seed)) < 1e-12);
    // It nears the mean and is never exactly there.
    CHECK_FALSE(analyse(make_topology("od-equidyn", 30, seed)).exact_rounds);
  }
}

TEST_CASE("EquiDyn: every distance is drawn, and pairs are pairs", "[topology]") {
  const int n = 9;
  std::set<int> distances;
  for (const MixingMatrix& matrix : make_topology("od-equidyn", n, 4).matrices) {
    for (int i = 0; i < n; ++i) {
      const MixingRow& row = matrix[static_cast<std::size_t>(i)];
      REQUIRE(row.receives.size() == 1);
      distances.insert((row.receives[0].rank - i + n) % n);
    }
  }
  CHECK(distances.size() == static_cast<std::size_t>(n - 1));
  for (const MixingMatrix& matrix : make_topology("ou-equidyn", n, 4).matrices) {
    std::size_t pairs = 0;
    for (const MixingRow& row : matrix) {
      REQUIRE(row.receives.size() <= 1);
      pairs += row.receives.size();
    }
    CHECK(pairs % 2 == 0);
    CHECK(pairs >= 6);  // a sweep leaves no two free that are apart by the distance
  }
}

TEST_CASE("EquiStatic: no common factor of n and the distances is left", "[topology]") {
  for (const int n : {12, 30}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      CAPTURE(n, seed);
      CHECK(analyse(make_topology("d-equistatic:1", n, seed)).connected);
      CHECK(contraction(make_topology("u-equistatic:1", n, seed).matrices[0]) < 1.0 - 1e-6);
    }
  }
  // Distances with one are two groups that never meet.
  const std::vector<int> even{2, 4};
  CHECK(contraction(equistatic_matrix(12, even, true)) == Approx(1.0).epsilon(1e-12));
}
