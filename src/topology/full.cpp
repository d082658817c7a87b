// Full graph: W = 11ᵀ/n, exact averaging in one round at n - 1 messages a rank.
#include "trainyard/topology/topology.hpp"

namespace trainyard {

Topology full_topology(int ranks) {
  std::vector<MixingEdge> edges;
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) edges.push_back({i, j, 1.0 / ranks});
  }
  return {"full", {mixing_matrix(ranks, edges)}};
}

}  // namespace trainyard
