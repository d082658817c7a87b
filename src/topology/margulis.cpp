// Margulis-Gabber-Galil expander: n = m² ranks as points (x, y) of a torus; neighbours of (x, y)
// are (x ± 2y, y), (x ± (2y + 1), y), (x, y ± 2x), (x, y ± (2x + 1)) mod m, eight with repetitions
// and itself among them. W = (I + A)/9, and the second eigenvalue of A is at most 5√2 for every m
// (Hoory, Linial & Wigderson, "Expander graphs and their applications", 2006, theorem 8.2): so
// ρ ≤ (1 + 5√2)/9 = 0.897 with eight messages a round however many ranks there are.
#include "trainyard/topology/topology.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

/// √n. Throws where that is not whole.
int side_of(int ranks) {
  int side = 1;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  if (side * side != ranks) {
    refuse_ranks("margulis", ranks, "are no square number",
                 "1, 4, 9, 16, … (the nearest are " + std::to_string(side * side) + " and " +
                     std::to_string((side + 1) * (side + 1)) + ")");
  }
  return side;
}

Topology make(const TopologyRequest& request) {
  const int m = side_of(request.ranks);
  const auto rank = [m](int x, int y) { return (x % m + m) % m * m + (y % m + m) % m; };
  std::vector<MixingEdge> edges;
  std::vector<Place> places;
  for (int x = 0; x < m; ++x) {
    for (int y = 0; y < m; ++y) {
      for (const int step : {2 * y, -2 * y, 2 * y + 1, -2 * y - 1}) {
        edges.push_back({rank(x, y), rank(x + step, y), 1.0 / 9.0});
      }
      for (const int step : {2 * x, -2 * x, 2 * x + 1, -2 * x - 1}) {
        edges.push_back({rank(x, y), rank(x, y + step), 1.0 / 9.0});
      }
      places.push_back({static_cast<double>(y), static_cast<double>(x)});
    }
  }
  return {"", {mixing_matrix(request.ranks, edges)}, places};
}

}  // namespace

TopologyInfo margulis_topology() {
  return {.name = "margulis",
          .summary = "expander: up to 8 neighbours, weights 1/9, rho below 0.9; n a square number",
          .make = make};
}

}  // namespace trainyard
