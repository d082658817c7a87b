#include "scheme/chunk_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trainyard {

std::size_t largest_divisor(std::size_t n, std::size_t limit) {
  std::size_t divisor = std::min(n, limit);
  while (n % divisor != 0) --divisor;
  return divisor;
}

namespace {

std::vector<double> cosines(std::size_t size) {
  std::vector<double> matrix;
  const auto n = static_cast<double>(size);
  for (std::size_t k = 0; k < size; ++k) {
    const double scale = std::sqrt((k > 0 ? 2.0 : 1.0) / n);
    for (std::size_t i = 0; i < size; ++i) {
      const double angle = std::numbers::pi * static_cast<double>(k) *
                           (2.0 * static_cast<double>(i) + 1.0) / (2.0 * n);
      matrix.push_back(scale * std::cos(angle));
    }
  }
  return matrix;
}

}  // namespace

ChunkTransform::ChunkTransform(TensorShapes tensors, std::size_t limit, bool cosine)
    : cosine_(cosine) {
  std::size_t first = 0, largest = 0;
  for (const TensorShape& shape : tensors) {
    const Tensor tensor{first, shape.rows, shape.columns, largest_divisor(shape.rows, limit),
                        largest_divisor(shape.columns, limit)};
    for (const std::size_t side : {tensor.h, tensor.w}) matrices_.try_emplace(side, cosines(side));
    largest = std::max(largest, tensor.h * tensor.w);
    tensors_.push_back(tensor);
    first += shape.size();
  }
  chunk_.resize(largest);
  half_.resize(largest);
}

std::vector<ChunkRun> ChunkTransform::chunks() const {
  std::vector<ChunkRun> runs;
  for (const Tensor& tensor : tensors_) {
    const std::size_t length = tensor.h * tensor.w;
    runs.push_back({length, tensor.rows * tensor.columns / length});
  }
  return runs;
}

template <typename Visit>
void ChunkTransform::for_each_chunk(const Visit& visit) const {
  std::size_t coefficients = 0;
  for (const Tensor& tensor : tensors_) {
    for (std::size_t y = 0; y < tensor.rows; y += tensor.h) {
      for (std::size_t x = 0; x < tensor.columns; x += tensor.w) {
        visit(tensor, tensor.first + y * tensor.columns + x, coefficients);
        coefficients += tensor.h * tensor.w;
      }
    }
  }
}

/// One side after the other; in double, as one number is made of thousands.
void ChunkTransform::turn(std::size_t h, std::size_t w, bool back) {
  const std::vector<double>&rows = matrices_.at(h), &columns = matrices_.at(w);
  std::fill_n(half_.begin(), h * w, 0.0);
  for (std::size_t k = 0; k < h; ++k) {
    for (std::size_t i = 0; i < h; ++i) {
      const double factor = back ? rows[i * h + k] : rows[k * h + i];
      for (std::size_t j = 0; j < w; ++j) half_[k * w + j] += factor * chunk_[i * w + j];
    }
  }
  std::fill_n(chunk_.begin(), h * w, 0.0);
  for (std::size_t i = 0; i < h; ++i) {
    for (std::size_t j = 0; j < w; ++j) {
      for (std::size_t k = 0; k < w; ++k) {
        const double factor = back ? columns[j * w + k] : columns[k * w + j];
        chunk_[i * w + k] += factor * half_[i * w + j];
      }
    }
  }
}

void ChunkTransform::forward(ConstVector parameters, Vector coefficients) {
  with_scalar(parameters.scalar(), [&]<typename T>(T) {
    const auto from = parameters.as<T>();
    const auto to = coefficients.as<T>();
    for_each_chunk([&](const Tensor& tensor, std::size_t corner, std::size_t first) {
      const std::size_t h = tensor.h, w = tensor.w;
      for (std::size_t i = 0; i < h * w; ++i) {
        chunk_[i] = static_cast<double>(from[corner + i / w * tensor.columns + i % w]);
      }
      if (cosine_) turn(h, w, false);
      for (std::size_t i = 0; i < h * w; ++i) to[first + i] = static_cast<T>(chunk_[i]);
    });
  });
}

void ChunkTransform::backward(ConstVector coefficients, Vector parameters) {
  with_scalar(parameters.scalar(), [&]<typename T>(T) {
    const auto from = coefficients.as<T>();
    const auto to = parameters.as<T>();
    for_each_chunk([&](const Tensor& tensor, std::size_t corner, std::size_t first) {
      const std::size_t h = tensor.h, w = tensor.w;
      for (std::size_t i = 0; i < h * w; ++i) chunk_[i] = static_cast<double>(from[first + i]);
      if (cosine_) turn(h, w, true);
      for (std::size_t i = 0; i < h * w; ++i) {
        to[corner + i / w * tensor.columns + i % w] = static_cast<T>(chunk_[i]);
      }
    });
  });
}

}  // namespace trainyard
