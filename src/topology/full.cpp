// Full graph: W = 11ᵀ/n, exact averaging in one round at n - 1 messages a rank.
#include "trainyard/topology/topology.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  require_links("full", n, static_cast<double>(n) * n);
  std::vector<MixingEdge> edges;
  edges.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) edges.push_back({i, j, 1.0 / n});
  }
  return {"", {mixing_matrix(n, edges)}};
}

}  // namespace

TopologyInfo full_topology() {
  return {.name = "full",
          .summary = "everyone, weights 1/n: exact averaging in one round",
          .make = make};
}

}  // namespace trainyard
