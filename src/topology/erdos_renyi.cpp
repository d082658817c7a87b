// Erdős-Rényi graph: each link is there with probability P, drawn again until the graph is
// connected (catalogue §4.3); Metropolis-Hastings weights. At P = 2 ln n / n, which is taken when
// none is given, most are, and a rank has about 2 ln n neighbours.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  const double threshold = std::log(n) / n;
  const double p = request.number.value_or(std::min(1.0, 2.0 * threshold));
  require_links("erdos-renyi", n, p * n * n);
  RandomStream stream(request.seed, Purpose::topology);
  for (int k = 0; k < most_draws; ++k) {
    std::vector<GraphEdge> links;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        if (stream.uniform() < p) links.push_back({i, j});
      }
    }
    if (connected(n, links)) return {"", {metropolis_hastings(n, links)}};
  }
  throw UsageError(
      fmt::format("erdos-renyi:{}: none of {} graphs of {} workers was connected; accepted "
                  "is a P well above ln n / n = {:.3g}",
                  p, most_draws, n, threshold));
}

}  // namespace

TopologyInfo erdos_renyi_topology() {
  return {.name = "erdos-renyi",
          .argument = "P",
          .summary = "each link with probability P [2 ln n / n], connected; by --seed",
          .low = 0.0,
          .high = 1.0,
          .whole = false,
          .make = make};
}

}  // namespace trainyard
