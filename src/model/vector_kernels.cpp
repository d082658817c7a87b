// Kernels over vectors, element by element.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/shared_access.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/vector_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/contrib/math/math-inl.h>
#include "model/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// Four sums in flight hide most of the multiply-add's latency of four cycles.
float dot(const float* a, const float* b, std::size_t size) {
  const std::size_t width = hn::Lanes(lanes);
  Vector sum0 = hn::Zero(lanes), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t i = 0;
  for (; i + 4 * width <= size; i += 4 * width) {
    sum0 = hn::MulAdd(hn::LoadU(lanes, a + i), hn::LoadU(lanes, b + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(lanes, a + i + width), hn::LoadU(lanes, b + i + width), sum1);
    sum2 =
        hn::MulAdd(hn::LoadU(lanes, a + i + 2 * width), hn::LoadU(lanes, b + i + 2 * width), sum2);
    sum3 =
        hn::MulAdd(hn::LoadU(lanes, a + i + 3 * width), hn::LoadU(lanes, b + i + 3 * width), sum3);
  }
  for_vectors(i, size, [&](std::size_t at, auto access) HWY_ATTR {
    sum0 = hn::MulAdd(access.load(a + at), access.load(b + at), sum0);
  });
  return sum_of_lanes(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
}

void axpy(float a, const float* x, float* y, std::size_t size) {
  const Vector factor = hn::Set(lanes, a);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    access.store(hn::MulAdd(factor, access.load(x + at), access.load(y + at)), y + at);
  });
}

void move_towards(float a, const float* target, float* x, std::size_t size) {
  const Vector factor = hn::Set(lanes, a);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector value = access.load(x + at);
    access.store(hn::MulAdd(factor, hn::Sub(access.load(target + at), value), value), x + at);
  });
}

void add_difference(float a, const float* x, const float* y, float* sum, std::size_t size) {
  const Vector factor = hn::Set(lanes, a);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector difference = hn::Sub(access.load(x + at), access.load(y + at));
    access.store(hn::MulAdd(factor, difference, access.load(sum + at)), sum + at);
  });
}

void add(const float* x, float* y, std::size_t size) {
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    access.store(hn::Add(access.load(x + at), access.load(y + at)), y + at);
  });
}

void sum(const float* const* xs, std::size_t count, float* y, std::size_t size) {
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    Vector total = access.load(xs[0] + at);
    for (std::size_t i = 1; i < count; ++i) total = hn::Add(total, access.load(xs[i] + at));
    access.store(total, y + at);
  });
}

void scaled_copy(float a, const float* x, float* y, std::size_t size) {
  const Vector factor = hn::Set(lanes, a);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    access.store(hn::Mul(factor, access.load(x + at)), y + at);
  });
}

// With e = exp(-|x|) ≤ 1 nothing overflows and neither tail cancels: 1/(1+e) for x ≥ 0, e/(1+e)
// below. Highway's Exp gives 0 for NaN; adding 0·x brings the NaN back.
void sigmoid(float* x, std::size_t size) {
  const Vector zero = hn::Zero(lanes), one = hn::Set(lanes, 1.0F);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector value = access.load(x + at);
    const Vector small = hn::Exp(lanes, hn::Neg(hn::Abs(value)));
    const Vector top = hn::IfThenElse(hn::Ge(value, zero), one, small);
    const Vector result = hn::Div(top, hn::Add(one, small));
    access.store(hn::IfThenElse(hn::IsNaN(value), value, result), x + at);
  });
}

#if defined(TRAINYARD_LANGUAGE_ATOMICS)

// Scalar forms with the same results as the vector forms below (shared_access.hpp).
void copy_shared(const float* from, float* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = load_relaxed(from[i]);
}

void axpy_shared(float a, const float* x, float* y, float* copy, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    float sum = load_relaxed(y[i]);
    axpy(a, x + i, &sum, 1);
    store_relaxed(y[i], sum);
    copy[i] = sum;
  }
}

#else

// Races by the letter of the language, and what they save: shared_access.hpp.
void copy_shared(const float* from, float* to, std::size_t size) {
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    access.store(access.load(from + at), to + at);
  });
}

// No line is asked for before it is used. While sixteen cores go over the same megabyte, a line
// that one has asked for to write is another's before it gets there, and a pass took 1.9 ms with 16
// lines under way and 0.35 without. Two cores took 0.16 and 0.15 ms (docs/limits.md).
void axpy_shared(float a, const float* x, float* y, float* copy, std::size_t size) {
  const Vector factor = hn::Set(lanes, a);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector sum = hn::MulAdd(factor, access.load(x + at), access.load(y + at));
    access.store(sum, y + at);
    access.store(sum, copy + at);
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {

// Objectives in double precision are small, and there to be exact: the compiler's loops will do.
namespace {
namespace double_precision {

void axpy(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
}

void move_towards(double a, std::span<const double> target, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += a * (target[i] - x[i]);
}

void add_difference(double a, std::span<const double> x, std::span<const double> y,
                    std::span<double> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += a * (x[i] - y[i]);
}

void sum(std::span<const ConstVector> xs, std::span<double> y) {
  for (std::size_t k = 0; k < y.size(); ++k) {
    double total = xs[0].doubles()[k];
    for (const ConstVector x : xs.subspan(1)) total += x.doubles()[k];
    y[k] = total;
  }
}

void scaled_copy(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = a * x[i];
}

}  // namespace double_precision

HWY_EXPORT(dot);
HWY_EXPORT(axpy);
HWY_EXPORT(move_towards);
HWY_EXPORT(add_difference);
HWY_EXPORT(add);
HWY_EXPORT(sum);
HWY_EXPORT(scaled_copy);
HWY_EXPORT(sigmoid);
HWY_EXPORT(copy_shared);
HWY_EXPORT(axpy_shared);
}  // namespace

float dot(std::span<const float> a, std::span<const float> b) {
  require(a.size() == b.size(), "dot: lengths differ");
  return HWY_DYNAMIC_DISPATCH(dot)(a.data(), b.data(), a.size());
}

void axpy(double a, ConstVector x, Vector y) {
  require(x.size() == y.size(), "axpy: lengths differ");
  if (y.scalar() == Scalar::float64) return double_precision::axpy(a, x.doubles(), y.doubles());
  HWY_DYNAMIC_DISPATCH(axpy)
  (static_cast<float>(a), x.floats().data(), y.floats().data(), x.size());
}

void move_towards(double a, ConstVector target, Vector x) {
  require(target.size() == x.size(), "move_towards: lengths differ");
  if (x.scalar() == Scalar::float64) {
    return double_precision::move_towards(a, target.doubles(), x.doubles());
  }
  HWY_DYNAMIC_DISPATCH(move_towards)
  (static_cast<float>(a), target.floats().data(), x.floats().data(), x.size());
}

void add_difference(double a, ConstVector x, ConstVector y, Vector sum) {
  require(x.size() == sum.size() && y.size() == sum.size(), "add_difference: lengths differ");
  if (sum.scalar() == Scalar::float64) {
    return double_precision::add_difference(a, x.doubles(), y.doubles(), sum.doubles());
  }
  HWY_DYNAMIC_DISPATCH(add_difference)
  (static_cast<float>(a), x.floats().data(), y.floats().data(), sum.floats().data(), sum.size());
}

void add(ConstVector x, Vector y) {
  require(x.size() == y.size(), "add: lengths differ");
  if (y.scalar() == Scalar::float64) return double_precision::axpy(1.0, x.doubles(), y.doubles());
  HWY_DYNAMIC_DISPATCH(add)(x.floats().data(), y.floats().data(), x.size());
}

void sum(std::span<const ConstVector> xs, Vector y) {
  require(!xs.empty() && xs.size() <= most_summed, "sum: of one vector, or some more");
  for (const ConstVector x : xs) require(x.size() == y.size(), "sum: lengths differ");
  if (y.scalar() == Scalar::float64) return double_precision::sum(xs, y.doubles());
  std::array<const float*, most_summed> from;
  for (std::size_t i = 0; i < xs.size(); ++i) from[i] = xs[i].floats().data();
  HWY_DYNAMIC_DISPATCH(sum)(from.data(), xs.size(), y.floats().data(), y.size());
}

bool is_finite(ConstVector x) {
  return with_scalar(x.scalar(), [&]<typename T>(T) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    // The exponent of infinities and NaNs is all ones.
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    constexpr std::size_t block = 4096;  // without a branch, so that it is done by vectors
    const std::span<const T> values = x.as<T>();
    for (std::size_t first = 0; first < values.size(); first += block) {
      Bits found = 0;
      for (const T value : values.subspan(first, std::min(block, values.size() - first))) {
        found |= static_cast<Bits>((std::bit_cast<Bits>(value) & exponent) == exponent);
      }
      if (found != 0) return false;
    }
    return true;
  });
}

void scale(double a, Vector x) {
  scaled_copy(a, x, x);
}

void scaled_copy(double a, ConstVector x, Vector y) {
  require(x.size() == y.size(), "scaled_copy: lengths differ");
  if (y.scalar() == Scalar::float64) {
    return double_precision::scaled_copy(a, x.doubles(), y.doubles());
  }
  HWY_DYNAMIC_DISPATCH(scaled_copy)
  (static_cast<float>(a), x.floats().data(), y.floats().data(), x.size());
}

void clip_norm(double most, Vector x) {
  const double norm = with_scalar(x.scalar(), [&]<typename T>(T) {
    // Eight sums side by side, in an order that no instruction set changes.
    constexpr std::size_t width = 8;
    std::array<double, width> sums{};
    const std::span<const T> values = x.as<T>();
    const auto add = [&](std::size_t i, std::size_t k) {
      const auto value = static_cast<double>(values[i + k]);
      sums[k] += value * value;
    };
    std::size_t i = 0;
    for (; i + width <= values.size(); i += width) {
      for (std::size_t k = 0; k < width; ++k) add(i, k);
    }
    for (std::size_t k = 0; i + k < values.size(); ++k) add(i, k);
    return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
  });
  if (norm > most) scale(most / norm, x);
}

void copy(ConstVector x, Vector y) {
  require(x.size() == y.size() && (x.empty() || x.scalar() == y.scalar()),
          "copy: lengths or precisions differ");
  if (!x.empty()) std::memcpy(y.data(), x.data(), x.bytes().size());
}

void set_to_zero(Vector x) {
  if (!x.empty()) std::memset(x.data(), 0, x.bytes().size());
}

void sigmoid(std::span<float> x) {
  HWY_DYNAMIC_DISPATCH(sigmoid)(x.data(), x.size());
}

void copy_shared(std::span<const float> from, std::span<float> to) {
  require(from.size() == to.size(), "copy_shared: lengths differ");
  HWY_DYNAMIC_DISPATCH(copy_shared)(from.data(), to.data(), from.size());
}

void axpy_shared(float a, std::span<const float> x, std::span<float> y, std::span<float> copy) {
  require(x.size() == y.size() && copy.size() == y.size(), "axpy_shared: lengths differ");
  HWY_DYNAMIC_DISPATCH(axpy_shared)(a, x.data(), y.data(), copy.data(), x.size());
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
