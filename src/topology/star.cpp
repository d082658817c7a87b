// Star: rank 0 talks to everybody, the others to it alone. Metropolis-Hastings weights are 1/n a
// link, so that the leaves keep 1 − 1/n of their own and ρ = 1 − 1/n: a parameter server without
// its power to overwrite, and with a port that n − 1 messages queue at (catalogue §4.3).
#include <cmath>
#include <numbers>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  std::vector<GraphEdge> links;
  std::vector<Place> places{{0.0, 0.0}};
  for (int leaf = 1; leaf < n; ++leaf) {
    links.push_back({0, leaf});
    const double angle = 2.0 * std::numbers::pi * (leaf - 1) / (n - 1);
    places.push_back({std::sin(angle), -std::cos(angle)});
  }
  return {"", {metropolis_hastings(n, links)}, places};
}

}  // namespace

TopologyInfo star_topology() {
  return {.name = "star",
          .summary = "rank 0 in the middle of all others, weights 1/n a link",
          .make = make};
}

}  // namespace trainyard
