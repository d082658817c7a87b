// Ring: every rank averages with its two neighbours, a third each (catalogue §4.3). With two ranks
// both neighbours are the same one, and the weights are a half each.
#include "trainyard/topology/topology.hpp"

namespace trainyard {

Topology ring_topology(int ranks) {
  std::vector<MixingEdge> edges;
  const double weight = ranks == 2 ? 0.25 : 1.0 / 3.0;  // for n = 2 the two entries add up to 1/2
  for (int i = 0; i < ranks && ranks > 1; ++i) {
    edges.push_back({i, (i + 1) % ranks, weight});
    edges.push_back({i, (i + ranks - 1) % ranks, weight});
  }
  return {"ring", {mixing_matrix(ranks, edges)}};
}

}  // namespace trainyard
