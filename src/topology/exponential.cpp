// Exponential graphs (Assran et al. 2019; Ying et al., "Exponential graph is provably efficient for
// decentralized deep training", NeurIPS 2021). Rank i receives from i + 2^k (mod n), as in the
// catalogue §4.3; some libraries send to i + 2^k instead, which is the transpose with the same ρ.
#include <bit>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

/// ⌈log2 n⌉, the number of hops.
int hop_count(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace

/// All hops in every round, weight 1/(⌈log2 n⌉ + 1) each.
Topology static_exponential_topology(int ranks) {
  const int hops = hop_count(ranks);
  std::vector<MixingEdge> edges;
  for (int i = 0; i < ranks; ++i) {
    for (int k = 0; k < hops; ++k) edges.push_back({i, (i + (1 << k)) % ranks, 1.0 / (hops + 1)});
  }
  return {"static-exp", {mixing_matrix(ranks, edges)}};
}

/// One hop a round, ½/½. For n = 2^τ any τ consecutive rounds average exactly.
Topology one_peer_exponential_topology(int ranks) {
  Topology topology{"one-peer-exp", {}};
  for (int k = 0; k < hop_count(ranks); ++k) {
    std::vector<MixingEdge> edges;
    for (int i = 0; i < ranks; ++i) edges.push_back({i, (i + (1 << k)) % ranks, 0.5});
    topology.matrices.push_back(mixing_matrix(ranks, edges));
  }
  if (topology.matrices.empty()) topology.matrices.push_back(mixing_matrix(ranks, {}));
  return topology;
}

}  // namespace trainyard
