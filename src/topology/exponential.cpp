// Exponential graphs (Assran et al. 2019; Ying et al., "Exponential graph is provably efficient for
// decentralized deep training", NeurIPS 2021). Rank i receives from i + 2^k (mod n), as in the
// catalogue §4.3; some libraries send to i + 2^k instead, which is the transpose with the same ρ.
// For even n, ρ = 1 − 2/(⌈log2 n⌉ + 1).
#include "trainyard/topology/topology.hpp"

#include "topology/graph.hpp"

namespace trainyard {

TopologyInfo static_exponential_topology() {
  return {.name = "static-exp",
          .summary = "from i + 2^k for every k, weights 1/(ceil(log2 n) + 1); directed",
          .make = [](const TopologyRequest& request) {
            const int n = request.ranks;
            const int hops = ceil_log2(n);
            std::vector<MixingEdge> edges;
            for (int i = 0; i < n; ++i) {
              for (int k = 0; k < hops; ++k) {
                edges.push_back({i, (i + (1 << k)) % n, 1.0 / (hops + 1)});
              }
            }
            return Topology{"", {mixing_matrix(n, edges)}};
          }};
}

/// One hop a round. For n = 2^τ any τ consecutive rounds average exactly; for other n none do.
TopologyInfo one_peer_exponential_topology() {
  return {.name = "one-peer-exp",
          .summary = "one peer a round, i + 2^(round mod ceil(log2 n)), weights 1/2; directed",
          .make = [](const TopologyRequest& request) {
            const int n = request.ranks;
            Topology topology;
            for (int k = 0; k < ceil_log2(n); ++k) {
              std::vector<MixingEdge> edges;
              edges.reserve(static_cast<std::size_t>(n));
              for (int i = 0; i < n; ++i) edges.push_back({i, (i + (1 << k)) % n, 0.5});
              topology.matrices.push_back(mixing_matrix(n, edges));
            }
            if (n == 1) topology.matrices.push_back(mixing_matrix(1, {}));
            return topology;
          }};
}

}  // namespace trainyard
