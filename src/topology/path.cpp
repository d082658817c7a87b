// Path: a ring that is cut open, the worst connected graph there is. Metropolis-Hastings weights
// are 1/3 a link, and the two ends keep 2/3 of their own (catalogue §4.3).
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

Topology make(const TopologyRequest& request) {
  std::vector<GraphEdge> links;
  std::vector<Place> places;
  for (int i = 0; i < request.ranks; ++i) {
    if (i > 0) links.push_back({i - 1, i});
    places.push_back({static_cast<double>(i), 0.0});
  }
  return {"", {metropolis_hastings(request.ranks, links)}, places};
}

}  // namespace

TopologyInfo path_topology() {
  return {.name = "path", .summary = "a ring cut open: weights 1/3 a link", .make = make};
}

}  // namespace trainyard
