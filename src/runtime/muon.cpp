#include "trainyard/runtime/muon.hpp"

#include <algorithm>
#include <cmath>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

constexpr int iterations = 5;
constexpr float a = 3.4445F, b = -4.7750F, c = 2.0315F;
constexpr double least_norm = 1e-7;  // PyTorch's

}  // namespace

NewtonSchulz::NewtonSchulz(TensorShapes shapes) {
  std::size_t square = 0, whole = 0;
  for (const TensorShape& shape : shapes) {
    const std::size_t shorter = std::min(shape.rows, shape.columns);
    square = std::max(square, shorter * shorter);
    whole = std::max(whole, shape.size());
  }
  square_.resize(square);
  polynomial_.resize(square);
  product_.resize(whole);
}

void NewtonSchulz::orthogonalize(TensorShape shape, std::span<float> matrix) {
  double squares = 0.0;
  for (const float value : matrix) squares += static_cast<double>(value) * value;
  kernels::scale(1.0 / std::max(std::sqrt(squares), least_norm), matrix);
  const std::size_t rows = shape.rows, columns = shape.columns;
  const bool wide = rows <= columns;
  const std::size_t shorter = wide ? rows : columns, longer = wide ? columns : rows;
  const std::span<float> square = std::span(square_).first(shorter * shorter);
  const std::span<float> polynomial = std::span(polynomial_).first(shorter * shorter);
  const std::span<float> product = std::span(product_).first(shape.size());
  for (int i = 0; i < iterations; ++i) {
    // Of a tall matrix A = XᵀX and X (b A + c A²): the same of its transpose.
    kernels::matrix_product(!wide, wide, shorter, shorter, longer, 1.0F, matrix.data(),
                            matrix.data(), 0.0F, square.data());
    std::ranges::copy(square, polynomial.begin());
    kernels::matrix_product(false, false, shorter, shorter, shorter, c, square.data(),
                            square.data(), b, polynomial.data());
    std::ranges::copy(matrix, product.begin());
    const float* left = wide ? polynomial.data() : product.data();
    const float* right = wide ? product.data() : polynomial.data();
    kernels::matrix_product(false, false, rows, columns, shorter, 1.0F, left, right, a,
                            matrix.data());
  }
}

double muon_scale(TensorShape shape) {
  return 0.2 * std::sqrt(static_cast<double>(std::max(shape.rows, shape.columns)));
}

}  // namespace trainyard
