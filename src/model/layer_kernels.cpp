// Kernels over the layers of a network and over class scores.
#include <limits>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/layer_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/contrib/math/math-inl.h>
#include "model/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

void add_bias(const float* bias, std::size_t width, std::size_t rows, float* units) {
  for (std::size_t r = 0; r < rows; ++r, units += width) {
    for_vectors(0, width, [&](std::size_t at, auto access) HWY_ATTR {
      access.store(hn::Add(access.load(units + at), access.load(bias + at)), units + at);
    });
  }
}

// x86's maximum returns its second operand when either is NaN: Max(0, NaN) is NaN, Max(NaN, 0) is
// 0.
void add_bias_relu(const float* bias, std::size_t width, std::size_t rows, float* units) {
  const Vector zero = hn::Zero(lanes);
  for (std::size_t r = 0; r < rows; ++r, units += width) {
    for_vectors(0, width, [&](std::size_t at, auto access) HWY_ATTR {
      const Vector sum = hn::Add(access.load(units + at), access.load(bias + at));
      access.store(hn::IfThenZeroElse(hn::Lt(sum, zero), sum), units + at);
    });
  }
}

void mask_inactive(const float* units, float* gradient, std::size_t size) {
  const Vector zero = hn::Zero(lanes);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const auto inactive = hn::Eq(access.load(units + at), zero);
    access.store(hn::IfThenZeroElse(inactive, access.load(gradient + at)), gradient + at);
  });
}

void column_sums(const float* matrix, std::size_t width, std::size_t rows, float* sums) {
  for_vectors(0, width, [&](std::size_t at, auto access) HWY_ATTR {
    Vector sum = hn::Zero(lanes);
    for (std::size_t r = 0; r < rows; ++r) {
      sum = hn::Add(sum, access.load(matrix + r * width + at));
    }
    access.store(sum, sums + at);
  });
}

// Highway's Exp gives 0 for NaN and is exact enough (1 ulp) elsewhere; adding 0·x brings a NaN
// back.
HWY_INLINE HWY_ATTR Vector exponential(Vector x) {
  return hn::MulAdd(x, hn::Zero(lanes), hn::Exp(lanes, x));
}

float greatest(const float* row, std::size_t width) {
  const Vector lowest = hn::Set(lanes, std::numeric_limits<float>::lowest());
  Vector top = lowest;
  for_vectors(0, width, [&](std::size_t at, auto access) HWY_ATTR {
    top = hn::Max(top, access.inside_or(access.load(row + at), lowest));
  });
  return hn::GetLane(hn::MaxOfLanes(lanes, top));
}

float sum_exp(const float* row, std::size_t width, float shift) {
  const Vector offset = hn::Set(lanes, shift), zero = hn::Zero(lanes);
  Vector sum = zero;
  for_vectors(0, width, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector power = exponential(hn::Sub(access.load(row + at), offset));
    sum = hn::Add(sum, access.inside_or(power, zero));
  });
  return sum_of_lanes(sum);
}

void softmax_gradient(const std::int32_t* labels, std::size_t rows, std::size_t classes,
                      float scale, float* scores) {
  for (std::size_t r = 0; r < rows; ++r, scores += classes) {
    const Vector offset = hn::Set(lanes, greatest(scores, classes)), zero = hn::Zero(lanes);
    Vector sum = zero;
    for_vectors(0, classes, [&](std::size_t at, auto access) HWY_ATTR {
      const Vector power = exponential(hn::Sub(access.load(scores + at), offset));
      access.store(power, scores + at);
      sum = hn::Add(sum, access.inside_or(power, zero));
    });
    const Vector factor = hn::Set(lanes, scale / sum_of_lanes(sum));
    for_vectors(0, classes, [&](std::size_t at, auto access) HWY_ATTR {
      access.store(hn::Mul(access.load(scores + at), factor), scores + at);
    });
    scores[labels[r]] -= scale;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {
namespace {
HWY_EXPORT(add_bias);
HWY_EXPORT(add_bias_relu);
HWY_EXPORT(mask_inactive);
HWY_EXPORT(column_sums);
HWY_EXPORT(sum_exp);
HWY_EXPORT(softmax_gradient);

std::size_t rows_of(std::size_t size, std::size_t width, const char* what) {
  const std::size_t rows = width == 0 ? 0 : size / width;
  require(rows * width == size, what);
  return rows;
}
}  // namespace

void add_bias(std::span<const float> bias, std::span<float> units) {
  const std::size_t rows = rows_of(units.size(), bias.size(), "add_bias: shapes differ");
  HWY_DYNAMIC_DISPATCH(add_bias)(bias.data(), bias.size(), rows, units.data());
}

void add_bias_relu(std::span<const float> bias, std::span<float> units) {
  const std::size_t rows = rows_of(units.size(), bias.size(), "add_bias_relu: shapes differ");
  HWY_DYNAMIC_DISPATCH(add_bias_relu)(bias.data(), bias.size(), rows, units.data());
}

void mask_inactive(std::span<const float> units, std::span<float> gradient) {
  require(units.size() == gradient.size(), "mask_inactive: lengths differ");
  HWY_DYNAMIC_DISPATCH(mask_inactive)(units.data(), gradient.data(), units.size());
}

void column_sums(std::span<const float> matrix, std::span<float> sums) {
  const std::size_t rows = rows_of(matrix.size(), sums.size(), "column_sums: shapes differ");
  HWY_DYNAMIC_DISPATCH(column_sums)(matrix.data(), sums.size(), rows, sums.data());
}

void softmax_gradient(std::span<const std::int32_t> labels, float scale, std::span<float> scores) {
  const std::size_t classes =
      rows_of(scores.size(), labels.size(), "softmax_gradient: shapes differ");
  HWY_DYNAMIC_DISPATCH(softmax_gradient)
  (labels.data(), labels.size(), classes, scale, scores.data());
}

float sum_exp(std::span<const float> row, float shift) {
  return HWY_DYNAMIC_DISPATCH(sum_exp)(row.data(), row.size(), shift);
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
