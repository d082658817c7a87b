// The matrices between a network's hidden layers: all but the first one, which reads features, and
// the last one, which makes class scores. They are what Muon steps as matrices.
//
//   const auto places = hidden_matrices(model.tensors());  // of mlp:256,128: the one of 256×128
//
// Threads: values like any other.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/model/holding.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// Row-major, from parameter `first` on.
struct MatrixPlace {
  std::size_t first = 0;
  TensorShape shape{};

  bool operator==(const MatrixPlace&) const = default;
};

/// In the order of the parameters; empty where a model has no two hidden layers.
std::vector<MatrixPlace> hidden_matrices(TensorShapes tensors);

/// Those that are held, as places in the replica that is `held`. Throws InternalError where a part
/// of one is held.
std::vector<MatrixPlace> matrices_within(const std::vector<MatrixPlace>& places,
                                         const Holding& held);

}  // namespace trainyard
