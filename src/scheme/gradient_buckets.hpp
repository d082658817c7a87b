// The pieces in which a gradient is sent while it is computed: a model's tensors, the last one
// first, as backpropagation gets to them.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/model/model.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// The parameters of each tensor, the last one first.
inline std::vector<ParameterRange> tensors_backwards(TensorShapes shapes) {
  std::vector<ParameterRange> ranges;
  std::size_t end = total_size(shapes);
  for (std::size_t t = shapes.size(); t-- > 0;) {
    end -= shapes[t].size();
    ranges.push_back({end, shapes[t].size()});
  }
  return ranges;
}

/// `later`, with the parameters right before it.
inline ParameterRange joined(ParameterRange earlier, ParameterRange later) {
  return {earlier.first, earlier.count + later.count};
}

}  // namespace trainyard
