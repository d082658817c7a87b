#include "trainyard/topology/partial_averaging.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/spectrum.hpp"

namespace trainyard {

PartialAveraging::PartialAveraging(const Topology& topology, std::vector<double> start)
    : topology_(topology), values_(std::move(start)) {
  require(values_.size() == topology.matrices.front().size(), "a value for each rank");
  if (!std::ranges::all_of(topology.matrices, row_stochastic)) {
    x_ = values_;
    weights_.assign(values_.size(), 1.0);
  }
}

void PartialAveraging::next_round() {
  const MixingMatrix& matrix =
      topology_.matrices[static_cast<std::size_t>(round_++ % topology_.period())];
  if (x_.empty()) {
    values_ = mixed(matrix, values_);
    return;
  }
  x_ = mixed(matrix, x_);
  weights_ = mixed(matrix, weights_);
  std::ranges::transform(x_, weights_, values_.begin(), [](double x, double w) { return x / w; });
}

}  // namespace trainyard
