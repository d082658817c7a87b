// Which matrices a vector of parameters is made of, one after the other: a layer's weights, its
// biases. What is no matrix is one of a single column.
//
// Threads: a value like any other.
#pragma once

#include <cstddef>
#include <span>

namespace trainyard {

/// Row-major.
struct TensorShape {
  std::size_t rows = 0, columns = 1;

  std::size_t size() const { return rows * columns; }
  bool operator==(const TensorShape&) const = default;
};

using TensorShapes = std::span<const TensorShape>;

/// The size of all of them together.
inline std::size_t total_size(TensorShapes shapes) {
  std::size_t sum = 0;
  for (const TensorShape& shape : shapes) sum += shape.size();
  return sum;
}

}  // namespace trainyard
