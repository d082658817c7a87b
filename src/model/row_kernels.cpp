// Kernels over sparse and dense rows of a matrix.
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include "model/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// Several rows at once share the loads of the vector and hide each other's latency. Each row has
// the same two sums whatever the number of rows, hence the same bits.
template <std::size_t Rows>
HWY_INLINE HWY_ATTR void row_products_block(const float* matrix, const float* vector,
                                            std::size_t columns, float* products) {
  const std::size_t width = hn::Lanes(lanes);
  Vector even[Rows], odd[Rows];
  for (std::size_t r = 0; r < Rows; ++r) even[r] = odd[r] = hn::Zero(lanes);
  std::size_t i = 0;
  for (; i + 2 * width <= columns; i += 2 * width) {
    const Vector first = hn::LoadU(lanes, vector + i);
    const Vector second = hn::LoadU(lanes, vector + i + width);
    for (std::size_t r = 0; r < Rows; ++r) {
      const float* row = matrix + r * columns + i;
      even[r] = hn::MulAdd(hn::LoadU(lanes, row), first, even[r]);
      odd[r] = hn::MulAdd(hn::LoadU(lanes, row + width), second, odd[r]);
    }
  }
  for_vectors(i, columns, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector rest = access.load(vector + at);
    for (std::size_t r = 0; r < Rows; ++r) {
      even[r] = hn::MulAdd(access.load(matrix + r * columns + at), rest, even[r]);
    }
  });
  for (std::size_t r = 0; r < Rows; ++r) products[r] = sum_of_lanes(hn::Add(even[r], odd[r]));
}

void row_products(const float* matrix, const float* vector, std::size_t columns, std::size_t rows,
                  float* products) {
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    row_products_block<4>(matrix + r * columns, vector, columns, products + r);
  }
  for (; r < rows; ++r) {
    row_products_block<1>(matrix + r * columns, vector, columns, products + r);
  }
}

// The chain from one step's weights to the next one's is what a step takes: product, sum over the
// lanes, exponential, division, two multiply-adds. All of it is in one function, with one pass over
// the row on either side of the exponential. A scalar's exponential has a shorter latency than a
// vector's.
template <typename ResidualAt>
HWY_INLINE HWY_ATTR void row_step(const RowStep& by, const float* row, std::size_t columns,
                                  float* weights, const ResidualAt& residual_at) {
  float margin = 0.0F;
  row_products_block<1>(row, weights, columns, &margin);
  const Vector residual = hn::Set(lanes, by.loss_weight * residual_at(margin));
  const Vector step = hn::Set(lanes, -by.step_size);
  const auto change = [&](std::size_t first, std::size_t end, float l2) HWY_ATTR {
    const Vector decay = hn::Set(lanes, l2);
    for_vectors(first, end, [&](std::size_t at, auto access) HWY_ATTR {
      const Vector weight = access.load(weights + at);
      const Vector gradient = hn::MulAdd(residual, access.load(row + at), hn::Mul(decay, weight));
      access.store(hn::MulAdd(step, gradient, weight), weights + at);
    });
  };
  change(0, by.regularised, by.l2);
  if (by.regularised < columns) change(by.regularised, columns, 0.0F);
}

void logistic_step(const RowStep& by, const float* row, std::size_t columns, float* weights) {
  row_step(by, row, columns, weights,
           [y = by.y](float margin) HWY_ATTR { return -y / (1.0F + std::exp(y * margin)); });
}

void least_squares_step(const RowStep& by, const float* row, std::size_t columns, float* weights) {
  row_step(by, row, columns, weights, [y = by.y](float margin) HWY_ATTR { return margin - y; });
}

// Several rows at once load and store the sum only once.
template <std::size_t Rows>
HWY_INLINE HWY_ATTR void weighted_row_sum_block(const float* weights, const float* matrix,
                                                std::size_t columns, float start_scale,
                                                const float* start, float* sum) {
  const Vector start_factor = hn::Set(lanes, start_scale);
  Vector factors[Rows];
  for (std::size_t r = 0; r < Rows; ++r) factors[r] = hn::Set(lanes, weights[r]);
  for_vectors(0, columns, [&](std::size_t at, auto access) HWY_ATTR {
    Vector total = hn::Mul(start_factor, access.load(start + at));
    for (std::size_t r = 0; r < Rows; ++r) {
      total = hn::MulAdd(factors[r], access.load(matrix + r * columns + at), total);
    }
    access.store(total, sum + at);
  });
}

void weighted_row_sum(const float* weights, const float* matrix, std::size_t columns,
                      std::size_t rows, float start_scale, const float* start, float* sum) {
  const auto add_block = [&]<std::size_t Rows>(std::size_t r) HWY_ATTR {
    const bool first = r == 0;
    weighted_row_sum_block<Rows>(weights + r, matrix + r * columns, columns,
                                 first ? start_scale : 1.0F, first ? start : sum, sum);
  };
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) add_block.template operator()<4>(r);
  for (; r < rows; ++r) add_block.template operator()<1>(r);
}

// One block of product columns for all nonzeros: the block's sums stay in registers.
template <std::size_t Vectors>
HWY_INLINE HWY_ATTR void sparse_product_block(const std::uint32_t* columns, const float* values,
                                              std::size_t nonzeros, const float* matrix,
                                              std::size_t row_size, float* product) {
  const std::size_t width = hn::Lanes(lanes);
  Vector sums[Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) sums[v] = hn::Zero(lanes);
  for (std::size_t i = 0; i < nonzeros; ++i) {
    const Vector value = hn::Set(lanes, values[i]);
    const float* row = matrix + columns[i] * row_size;
    for (std::size_t v = 0; v < Vectors; ++v) {
      sums[v] = hn::MulAdd(value, hn::LoadU(lanes, row + v * width), sums[v]);
    }
  }
  for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sums[v], lanes, product + v * width);
}

// One vector of product columns. Its sum is a chain of multiply-adds of four cycles each; four
// chains run side by side.
template <typename Access>
HWY_INLINE HWY_ATTR void sparse_product_vector(const std::uint32_t* columns, const float* values,
                                               std::size_t nonzeros, const float* matrix,
                                               std::size_t row_size, float* product,
                                               Access access) {
  const auto add = [&](std::size_t i, Vector sum) HWY_ATTR {
    const Vector row = access.load(matrix + columns[i] * row_size);
    return hn::MulAdd(hn::Set(lanes, values[i]), row, sum);
  };
  Vector sum0 = hn::Zero(lanes), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t i = 0;
  for (; i + 4 <= nonzeros; i += 4) {
    sum0 = add(i, sum0);
    sum1 = add(i + 1, sum1);
    sum2 = add(i + 2, sum2);
    sum3 = add(i + 3, sum3);
  }
  for (; i < nonzeros; ++i) sum0 = add(i, sum0);
  access.store(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), product);
}

// Eight vectors at a time are eight chains; what is left goes one by one.
void sparse_product(const std::uint32_t* columns, const float* values, std::size_t nonzeros,
                    const float* matrix, std::size_t row_size, float* product) {
  const std::size_t block = 8 * hn::Lanes(lanes);
  std::size_t j = 0;
  for (; j + block <= row_size; j += block) {
    sparse_product_block<8>(columns, values, nonzeros, matrix + j, row_size, product + j);
  }
  for_vectors(j, row_size, [&](std::size_t at, auto access) HWY_ATTR {
    sparse_product_vector(columns, values, nonzeros, matrix + at, row_size, product + at, access);
  });
}

void add_sparse_outer(const std::uint32_t* columns, const float* values, std::size_t nonzeros,
                      const float* row, std::size_t row_size, float* matrix) {
  for (std::size_t i = 0; i < nonzeros; ++i) {
    const Vector value = hn::Set(lanes, values[i]);
    float* const to = matrix + columns[i] * row_size;
    for_vectors(0, row_size, [&](std::size_t at, auto access) HWY_ATTR {
      access.store(hn::MulAdd(value, access.load(row + at), access.load(to + at)), to + at);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {

namespace {
HWY_EXPORT(row_products);
HWY_EXPORT(logistic_step);
HWY_EXPORT(least_squares_step);
HWY_EXPORT(weighted_row_sum);
HWY_EXPORT(sparse_product);
HWY_EXPORT(add_sparse_outer);
}  // namespace

void logistic_step(const RowStep& by, std::span<const float> row, std::span<float> weights) {
  require(row.size() == weights.size() && by.regularised <= row.size(),
          "logistic_step: lengths differ");
  HWY_DYNAMIC_DISPATCH(logistic_step)(by, row.data(), row.size(), weights.data());
}

void least_squares_step(const RowStep& by, std::span<const float> row, std::span<float> weights) {
  require(row.size() == weights.size() && by.regularised <= row.size(),
          "least_squares_step: lengths differ");
  HWY_DYNAMIC_DISPATCH(least_squares_step)(by, row.data(), row.size(), weights.data());
}

void row_products(std::span<const float> matrix, std::span<const float> vector,
                  std::span<float> products) {
  require(matrix.size() == vector.size() * products.size(), "row_products: shapes differ");
  HWY_DYNAMIC_DISPATCH(row_products)
  (matrix.data(), vector.data(), vector.size(), products.size(), products.data());
}

void weighted_row_sum(std::span<const float> weights, std::span<const float> matrix,
                      float start_scale, std::span<const float> start, std::span<float> sum) {
  require(matrix.size() == weights.size() * sum.size(), "weighted_row_sum: shapes differ");
  require(start.size() == sum.size(), "weighted_row_sum: lengths differ");
  if (weights.empty()) return scaled_copy(start_scale, start, sum);
  HWY_DYNAMIC_DISPATCH(weighted_row_sum)
  (weights.data(), matrix.data(), sum.size(), weights.size(), start_scale, start.data(),
   sum.data());
}

void sparse_product(std::span<const std::uint32_t> columns, std::span<const float> values,
                    std::span<const float> matrix, std::span<float> product) {
  require(columns.size() == values.size(), "sparse_product: lengths differ");
  HWY_DYNAMIC_DISPATCH(sparse_product)
  (columns.data(), values.data(), columns.size(), matrix.data(), product.size(), product.data());
}

void add_sparse_outer(std::span<const std::uint32_t> columns, std::span<const float> values,
                      std::span<const float> row, std::span<float> matrix) {
  require(columns.size() == values.size(), "add_sparse_outer: lengths differ");
  HWY_DYNAMIC_DISPATCH(add_sparse_outer)
  (columns.data(), values.data(), columns.size(), row.data(), row.size(), matrix.data());
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
