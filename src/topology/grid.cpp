// Grid and torus of r rows and c columns, r the largest divisor of n that is at most √n, so that a
// prime number of ranks makes a path or a ring. Metropolis-Hastings weights; where a side of the
// torus is 2, up and down are the same neighbour and its link counts once (a constant weight of
// 1/5, as some code has it, is not stochastic there). Catalogue §4.3.
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

int rows_of(int ranks) {
  int rows = 1;
  for (int r = 2; r * r <= ranks; ++r) {
    if (ranks % r == 0) rows = r;
  }
  return rows;
}

Topology make(const TopologyRequest& request, bool wraps) {
  const int n = request.ranks;
  const int rows = rows_of(n);
  const int columns = n / rows;
  std::vector<GraphEdge> links;
  std::vector<Place> places;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int here = r * columns + c;
      if (wraps || c + 1 < columns) links.push_back({here, r * columns + (c + 1) % columns});
      if (wraps || r + 1 < rows) links.push_back({here, (r + 1) % rows * columns + c});
      places.push_back({static_cast<double>(c), static_cast<double>(r)});
    }
  }
  // A single row that wraps is drawn as the ring that it is.
  if (wraps && rows == 1) places.clear();
  return {"", {metropolis_hastings(n, links)}, places};
}

}  // namespace

TopologyInfo grid_topology() {
  return {.name = "grid",
          .summary = "rows and columns as square as n allows, up to four neighbours; prime n: path",
          .make = [](const TopologyRequest& request) { return make(request, false); }};
}

TopologyInfo torus_topology() {
  return {.name = "torus",
          .summary = "the grid with its borders joined, Metropolis weights; prime n: ring",
          .make = [](const TopologyRequest& request) { return make(request, true); }};
}

}  // namespace trainyard
