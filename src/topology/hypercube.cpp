// Hypercube: ranks whose numbers differ in one bit are neighbours (catalogue §4.3). With all of
// them in every round the weights are 1/(log2 n + 1). With one a round, averaging in pairs along
// each dimension in turn is exact after log2 n rounds, from any round on and in any order.
#include <bit>
#include <cmath>

#include "trainyard/topology/topology.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

/// log2 n. Throws where that is not whole.
int dimensions(const std::string& name, int ranks) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
    const int below = 1 << (ceil_log2(ranks) - 1);
    refuse_ranks(name, ranks, "are not a power of two",
                 "1, 2, 4, 8, … (the nearest are " + std::to_string(below) + " and " +
                     std::to_string(2 * below) + ")");
  }
  return ceil_log2(ranks);
}

}  // namespace

TopologyInfo hypercube_topology() {
  return {.name = "hypercube",
          .summary = "i xor 2^k for every k, weights 1/(log2 n + 1); n a power of two",
          .make = [](const TopologyRequest& request) {
            const int n = request.ranks;
            std::vector<GraphEdge> links;
            for (int k = 0; k < dimensions("hypercube", n); ++k) {
              for (int i = 0; i < n; ++i) links.push_back({i, i ^ (1 << k)});
            }
            return Topology{"", {metropolis_hastings(n, links)}};
          }};
}

TopologyInfo one_peer_hypercube_topology() {
  return {.name = "one-peer-hypercube",
          .summary = "one peer a round, i xor 2^(round mod log2 n), weights 1/2; n a power of two",
          .make = [](const TopologyRequest& request) {
            const int n = request.ranks;
            Topology topology;
            for (int k = 0; k < dimensions("one-peer-hypercube", n); ++k) {
              std::vector<GraphEdge> links;
              links.reserve(static_cast<std::size_t>(n));
              for (int i = 0; i < n; ++i) links.push_back({i, i ^ (1 << k)});
              topology.matrices.push_back(metropolis_hastings(n, links));
            }
            if (n == 1) topology.matrices.push_back(mixing_matrix(1, {}));
            return topology;
          }};
}

}  // namespace trainyard
