#include "trainyard/model/hidden_matrices.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

namespace trainyard {

std::vector<MatrixPlace> hidden_matrices(TensorShapes tensors) {
  std::vector<MatrixPlace> matrices;
  std::size_t next = 0;
  for (const TensorShape& shape : tensors) {
    if (shape.columns > 1) matrices.push_back({next, shape});
    next += shape.size();
  }
  if (matrices.size() < 3) return {};
  matrices.erase(matrices.begin());
  matrices.pop_back();
  return matrices;
}

std::vector<MatrixPlace> matrices_within(const std::vector<MatrixPlace>& places,
                                         const Holding& held) {
  std::vector<MatrixPlace> found;
  for (const MatrixPlace& place : places) {
    const std::size_t end = place.first + place.shape.size();
    std::size_t before = 0;  // in the replica
    for (const ParameterRange& range : held.ranges) {
      const std::size_t range_end = range.first + range.count;
      if (std::max(place.first, range.first) < std::min(end, range_end)) {
        require(range.first <= place.first && end <= range_end, "a matrix is held whole");
        found.push_back({before + place.first - range.first, place.shape});
      }
      before += range.count;
    }
  }
  return found;
}

}  // namespace trainyard
