// Ring: every rank averages with its two neighbours, a third each (catalogue §4.3). With two ranks
// both neighbours are the same one, and the weights are a half each. ρ = ⅓ + ⅔ cos(2π/n) from n = 4
// on, 1 − 4π²/(3n²) for many: information walks, and rounds to consensus grow with n².
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  std::vector<MixingEdge> edges;
  const double weight = n == 2 ? 0.25 : 1.0 / 3.0;  // for n = 2 the two entries add up to 1/2
  for (int i = 0; i < n && n > 1; ++i) {
    edges.push_back({i, (i + 1) % n, weight});
    edges.push_back({i, (i + n - 1) % n, weight});
  }
  return {"", {mixing_matrix(n, edges)}};
}

}  // namespace

TopologyInfo ring_topology() {
  return {.name = "ring", .summary = "two neighbours, weights 1/3 (n = 2: 1/2)", .make = make};
}

}  // namespace trainyard
