// Norms and means that codecs need, summed in double, without overflow on the way.
//
// One sum after the other would take an addition's latency for each number. There are eight of
// them, in a fixed order: the same numbers give the same bits wherever they are added.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace trainyard {

/// Σ term(x_i)
template <typename T, typename Term>
double sum_of(std::span<const T> x, const Term& term) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += term(static_cast<double>(x[i + j]));
  }
  for (std::size_t j = 0; i < x.size(); ++i, ++j) sums[j] += term(static_cast<double>(x[i]));
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// max_i |x_i|
template <typename T>
T largest_of(std::span<const T> x) {
  std::array<T, 8> largest{};
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) {
    for (std::size_t j = 0; j < 8; ++j) largest[j] = std::max(largest[j], std::abs(x[i + j]));
  }
  for (; i < x.size(); ++i) largest[0] = std::max(largest[0], std::abs(x[i]));
  return *std::ranges::max_element(largest);
}

/// `value` as a T, the largest number of T where it is beyond.
template <typename T>
T within(double value) {
  const double most = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(value, -most, most));
}

/// Σ x_i² in a unit of its own: Σ x_i² = unit² · sum. Squares of floats fit into a double; those of
/// doubles may not, and are taken of x / max |x|.
struct Squares {
  double unit, sum;
};

template <typename T>
Squares squares_of(std::span<const T> x) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return {1.0, sum_of(x, [](double value) { return value * value; })};
  } else {
    const double largest = largest_of(x);
    if (largest == 0.0) return {0.0, 0.0};
    return {largest,
            sum_of(x, [&](double value) { return (value / largest) * (value / largest); })};
  }
}

/// ‖x‖; the largest double where it is beyond.
template <typename T>
double norm_of(std::span<const T> x) {
  const Squares squares = squares_of(x);
  return within<double>(squares.unit * std::sqrt(squares.sum));
}

/// ‖x‖/√d
template <typename T>
double root_mean_square(std::span<const T> x) {
  const Squares squares = squares_of(x);
  return squares.unit * std::sqrt(squares.sum / static_cast<double>(x.size()));
}

/// What numbers are multiplied by so that their sum is no larger than the largest double: 1 unless
/// they are doubles near it.
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
  const double sum = sum_of(x, [&](double value) { return std::abs(value) * unit; });
  return sum / static_cast<double>(x.size()) / unit;
}

}  // namespace trainyard
