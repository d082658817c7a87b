// EquiStatic: M random distances around the circle, the same for all ranks. ρ stays below a
// constant with about ln n of them: M = ⌊8 ln(2n/p) / (3ε²)⌋ guarantees ρ < ε with probability 1 −
// p. Distances may repeat, and few of them may share a factor with n and split the ranks into
// groups that never meet: those are drawn again.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "topology/equitopo.hpp"
#include "topology/graph.hpp"

namespace trainyard {

MixingMatrix equistatic_matrix(int ranks, std::span<const int> distances, bool directed) {
  const auto times = static_cast<double>(distances.size());
  const double weight = static_cast<double>(ranks - 1) / ranks / times;
  std::vector<MixingEdge> edges;
  for (int i = 0; i < ranks; ++i) {
    for (const int distance : distances) {
      edges.push_back({i, (i + distance) % ranks, directed ? weight : weight / 2});
      if (!directed) edges.push_back({i, (i - distance + ranks) % ranks, weight / 2});
    }
  }
  return mixing_matrix(ranks, edges);
}

namespace {

Topology make(const TopologyRequest& request, bool directed) {
  const int n = request.ranks;
  if (n == 1) return {"", {mixing_matrix(1, {})}};
  const int neighbours = directed ? ceil_log2(n) : (ceil_log2(n) + 1) / 2;
  const int count = static_cast<int>(request.number.value_or(neighbours));
  require_links("equistatic", n, static_cast<double>(n) * count);
  RandomStream stream(request.seed, Purpose::topology);
  for (int k = 0; k < most_draws; ++k) {
    std::vector<int> distances;
    int common = n;  // the ranks fall into so many groups
    for (int m = 0; m < count; ++m) {
      distances.push_back(1 + static_cast<int>(stream.below(static_cast<std::uint64_t>(n - 1))));
      common = std::gcd(common, distances.back());
    }
    if (common == 1) return {"", {equistatic_matrix(n, distances, directed)}};
  }
  // φ(n)/n of all distances suit alone, which is 0.2 for n = 30030.
  throw InternalError("a thousand draws of EquiStatic were not connected");
}

}  // namespace

TopologyInfo d_equistatic_topology() {
  return {
      .name = "d-equistatic",
      .argument = "M",
      .summary = "from M random distances [ceil(log2 n)], the same for all; directed; by --seed",
      .low = 1,
      .high = 4096,
      .make = [](const TopologyRequest& request) { return make(request, true); }};
}

TopologyInfo u_equistatic_topology() {
  return {.name = "u-equistatic",
          .argument = "M",
          .summary = "both ways over M random distances [half of ceil(log2 n)]; by --seed",
          .low = 1,
          .high = 4096,
          .make = [](const TopologyRequest& request) { return make(request, false); }};
}

}  // namespace trainyard
