// The loops of ruler.hpp.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_RULER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_RULER_INL_HPP
#undef TRAINYARD_CODEC_RULER_INL_HPP
#else
#define TRAINYARD_CODEC_RULER_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// Up to 127 levels a place is a fixed-point number of 7 + 24 bits, cut off, and ⌊place + u⌋ an
// addition and a shift.
template <typename T>
void write_level_bytes(std::span<const T> x, std::uint32_t first, RulerMarks<T> marks, Dither u,
                       std::byte* HWY_RESTRICT to) {
  const std::int32_t s = marks.levels;
  const T unit = T(0x1p24), most = static_cast<T>(s) * unit, up = marks.up, per = marks.per * unit;
  const T* HWY_RESTRICT const numbers = x.data();
  const auto size = static_cast<std::uint32_t>(x.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto place = static_cast<std::int32_t>(std::min(std::abs(numbers[i]) * up * per, most));
    const auto level = static_cast<std::int32_t>(
        (static_cast<std::uint32_t>(place) + (u.bits(first + i) >> 8)) >> 24);
    to[i] = static_cast<std::byte>(numbers[i] < T{0} ? s - level : s + level);
  }
}

// More levels leave no bits for u in a sum: u is compared with the fraction.
template <typename T>
void find_levels(std::span<const T> x, std::uint32_t first, RulerMarks<T> marks, Dither u,
                 std::int32_t* HWY_RESTRICT levels) {
  const T most = static_cast<T>(marks.levels);
  const T* HWY_RESTRICT const numbers = x.data();
  const auto size = static_cast<std::uint32_t>(x.size());
  for (std::uint32_t j = 0; j < size; ++j) {
    const T place = std::min(std::abs(numbers[j]) * marks.up * marks.per, most);
    const auto below = static_cast<std::int32_t>(place);
    const T fraction = (place - static_cast<T>(below)) * Dither::marks<T>;
    const bool above = u.mark<T>(first + j) < fraction;
    const std::int32_t level = below + static_cast<std::int32_t>(above);
    levels[j] = numbers[j] < T{0} ? -level : level;
  }
}

// level/s first, which is no more than 1: ‖x‖/s · level may be beyond the largest number.
template <typename T>
bool add_level_bytes(double norm, std::int32_t s, const std::byte* HWY_RESTRICT from,
                     std::span<T> sum) {
  const double share = 1.0 / s;
  std::int32_t highest = 0;
  T* HWY_RESTRICT const sums = sum.data();
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::int32_t level = static_cast<std::int32_t>(from[i]) - s;
    highest = std::max(highest, level);
    sums[i] += static_cast<T>(norm * (share * level));
  }
  return highest <= s;
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_RULER_INL_HPP
