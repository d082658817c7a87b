// The linear partition problem, by dynamic programming: the best costliest part of the layers from
// `first` on in `parts` parts is, over all ends of the first of these parts, the least of
// max(its cost, the best of the rest). L² p steps; L is the depth of a network.
#include "model/cut_layers.hpp"

#include <algorithm>
#include <limits>

#include "trainyard/base/error.hpp"

namespace trainyard {

std::vector<std::size_t> cut_layers(std::span<const double> costs, std::size_t parts) {
  const std::size_t layers = costs.size();
  require(parts >= 1 && parts <= layers, "as many layers as stages at least");
  // least[p][first]: of p parts from layer `first` on; end[p][first]: where the first of them ends.
  std::vector least(parts + 1, std::vector(layers + 1, std::numeric_limits<double>::infinity()));
  std::vector end(parts + 1, std::vector<std::size_t>(layers + 1, layers));
  least[0][layers] = 0.0;
  for (std::size_t p = 1; p <= parts; ++p) {
    for (std::size_t first = 0; first + p <= layers; ++first) {
      double cost = 0.0;
      for (std::size_t last = first; last + p <= layers; ++last) {
        cost += costs[last];
        const double costliest = std::max(cost, least[p - 1][last + 1]);
        if (costliest > least[p][first]) continue;
        least[p][first] = costliest;
        end[p][first] = last + 1;
      }
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t p = parts, first = 0; p > 0; --p) {
    first = end[p][first];
    ends.push_back(first);
  }
  return ends;
}

}  // namespace trainyard
