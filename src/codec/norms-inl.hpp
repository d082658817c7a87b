// Sums and maximum of norms.hpp.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_NORMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_NORMS_INL_HPP
#undef TRAINYARD_CODEC_NORMS_INL_HPP
#else
#define TRAINYARD_CODEC_NORMS_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// One sum after the other would take an addition's latency for each number. There are sixteen of
// them, in a fixed order: the same numbers give the same bits wherever they are added.
template <typename T, typename Term>
HWY_INLINE HWY_ATTR double sum_of(std::span<const T> x, const Term& term) {
  constexpr std::size_t width = 16;
  double sums[width] = {};
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += term(static_cast<double>(x[i + j]));
  }
  for (std::size_t j = 0; i < x.size(); ++i, ++j) sums[j] += term(static_cast<double>(x[i]));
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

template <typename T>
double sum(std::span<const T> x, double unit, double center) {
  return sum_of<T>(x, [=](double value) HWY_ATTR { return value * unit - center; });
}

template <typename T>
double sum_of_squares(std::span<const T> x, double unit, double center) {
  return sum_of<T>(x, [=](double value) HWY_ATTR {
    const double difference = value * unit - center;
    return difference * difference;
  });
}

template <typename T>
double sum_of_magnitudes(std::span<const T> x, double unit) {
  return sum_of<T>(x, [=](double value) HWY_ATTR { return std::abs(value * unit); });
}

// Compares them as whole numbers, whose maximum can be taken in any order; the compiler may not
// assume that of floating-point numbers.
template <typename T>
T largest_magnitude(std::span<const T> x) {
  MagnitudeKey<T> largest = 0;
  for (const T value : x) {
    largest = std::max(largest, std::bit_cast<MagnitudeKey<T>>(std::abs(value)));
  }
  return std::bit_cast<T>(largest);
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_NORMS_INL_HPP
