// Norms and means that codecs need, summed in double, without overflow on the way.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "trainyard/codec/loops.hpp"

namespace trainyard {

/// max_i |x_i|
template <typename T>
T largest_of(std::span<const T> x) {
  return codec_loops<T>().largest(x);
}

/// `value` as a T, the largest number of T where it is beyond.
template <typename T>
T within(double value) {
  const double most = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(value, -most, most));
}

/// The power of two by which x is divided before it is squared. Squares of floats fit into a
/// double; those of doubles may not.
template <typename T>
double squaring_unit(std::span<const T> x) {
  if constexpr (sizeof(T) == sizeof(double)) {
    const double largest = largest_of(x);
    if (largest == 0.0) return 1.0;
    // 1/unit is finite, too.
    return std::ldexp(1.0, std::clamp(std::ilogb(largest), -1022, 1022));
  }
  return 1.0;
}

/// Σ x_i² in a unit of its own: Σ x_i² = unit² · sum.
struct Squares {
  double unit, sum;
};

template <typename T>
Squares squares_of(std::span<const T> x) {
  const double unit = squaring_unit(x);
  return {unit, codec_loops<T>().sum_of_squares(x, 1.0 / unit, 0.0)};
}

/// ‖x‖; the largest double where it is beyond.
template <typename T>
double norm_of(std::span<const T> x) {
  const Squares squares = squares_of(x);
  return within<double>(squares.unit * std::sqrt(squares.sum));
}

/// √(Σ (x_i − x̄)² / d), x̄ the mean: exactly 0 where all x_i are the same, as the mean is taken of
/// what they differ from the first one by. Not finite where x is not. REQUIRES: x is not empty.
template <typename T>
double standard_deviation(std::span<const T> x) {
  const auto d = static_cast<double>(x.size());
  const double unit = squaring_unit(x), first = static_cast<double>(x.front()) / unit;
  const double mean = first + codec_loops<T>().sum(x, 1.0 / unit, first) / d;
  return unit * std::sqrt(codec_loops<T>().sum_of_squares(x, 1.0 / unit, mean) / d);
}

/// The factor for numbers so that their sum is no larger than the largest double: 1 unless they are
/// doubles near it.
template <typename T>
double summing_unit(std::span<const T> x) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (largest_of(x) > 0x1p900) return 0x1p-64;
  }
  return 1.0;
}

/// ‖x‖₁ / d
template <typename T>
double mean_magnitude(std::span<const T> x) {
  const double unit = summing_unit(x);
  return codec_loops<T>().sum_of_magnitudes(x, unit) / static_cast<double>(x.size()) / unit;
}

}  // namespace trainyard
