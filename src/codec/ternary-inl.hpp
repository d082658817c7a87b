// Numbers of three values, −1, 0 and 1, in two bits each: 0, 1 and 2; 3 is none.
//
// 32 numbers at once: a word says which of them are not zero, one which are negative. What has no
// bit in the first is a 1, what has one there and none in the second a 2.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_TERNARY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_TERNARY_INL_HPP
#undef TRAINYARD_CODEC_TERNARY_INL_HPP
#else
#define TRAINYARD_CODEC_TERNARY_INL_HPP
#endif

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

inline constexpr std::uint32_t trits_at_once = 32;
inline constexpr std::uint64_t even_bits = 0x5555555555555555U;

/// Bit j goes to bit 2j.
HWY_INLINE HWY_ATTR std::uint64_t spread(std::uint32_t word) {
  std::uint64_t w = word;
  w = (w | w << 16) & 0x0000FFFF0000FFFFU;
  w = (w | w << 8) & 0x00FF00FF00FF00FFU;
  w = (w | w << 4) & 0x0F0F0F0F0F0F0F0FU;
  w = (w | w << 2) & 0x3333333333333333U;
  return (w | w << 1) & even_bits;
}

/// Bit 2j goes to bit j.
HWY_INLINE HWY_ATTR std::uint32_t gathered(std::uint64_t w) {
  w &= even_bits;
  w = (w | w >> 1) & 0x3333333333333333U;
  w = (w | w >> 2) & 0x0F0F0F0F0F0F0F0FU;
  w = (w | w >> 4) & 0x00FF00FF00FF00FFU;
  w = (w | w >> 8) & 0x0000FFFF0000FFFFU;
  return static_cast<std::uint32_t>(w | w >> 16);
}

/// The fields of 32 numbers from place `first` on. nonzero(x, place): whether it becomes ±1.
template <typename T, typename Nonzero>
HWY_INLINE HWY_ATTR std::uint64_t trits_of(const T* x, std::uint32_t first,
                                           const Nonzero& nonzero) {
  std::uint32_t ones = 0, negative = 0;
  for (std::uint32_t j = 0; j < trits_at_once; ++j) {
    ones |= static_cast<std::uint32_t>(nonzero(x[j], first + j)) << j;
  }
  for (std::uint32_t j = 0; j < trits_at_once; ++j) {
    negative |= static_cast<std::uint32_t>(x[j] < T{0}) << j;
  }
  return spread(~ones) | spread(ones & ~negative) << 1;
}

template <typename T, typename Nonzero>
HWY_INLINE HWY_ATTR void write_trits(std::span<const T> x, std::byte* HWY_RESTRICT to,
                                     const Nonzero& nonzero) {
  std::size_t i = 0;
  for (; i + trits_at_once <= x.size(); i += trits_at_once) {
    const std::uint64_t fields = trits_of(x.data() + i, static_cast<std::uint32_t>(i), nonzero);
    std::memcpy(to + i / 4, &fields, sizeof(fields));
  }
  const std::size_t count = x.size() - i;
  if (count == 0) return;
  T rest[trits_at_once] = {};
  std::memcpy(rest, x.data() + i, count * sizeof(T));
  const std::uint64_t fields = trits_of(rest, static_cast<std::uint32_t>(i), nonzero) &
                               ((std::uint64_t{1} << (2 * count)) - 1);
  std::memcpy(to + i / 4, &fields, (2 * count + 7) / 8);
}

// u < |x|/most is the sign of u − |x|/most, in units of u, which costs no quotient. Where 1/most
// may be beyond the largest number, x and `most` are taken larger by a power of two.
template <typename T>
void write_random_trits(std::span<const T> x, T most, Dither u, std::byte* to) {
  using Bits = std::make_unsigned_t<MagnitudeKey<T>>;
  const T up = scale_up_of(most);
  T per = most == T{0} ? T{0} : Dither::marks<T> / (most * up);
  // So that the largest number itself is always sent.
  if (most * up * per < Dither::marks<T>) {
    per = std::nextafter(per, std::numeric_limits<T>::infinity());
  }
  write_trits(x, to, [=](T number, std::uint32_t place) HWY_ATTR {
    const T difference = u.mark<T>(place) - std::abs(number) * up * per;
    return std::bit_cast<Bits>(difference) >> (8 * sizeof(T) - 1);
  });
}

template <typename T>
void write_trits_beyond(std::span<const T> x, T threshold, std::byte* to) {
  write_trits(x, to,
              [=](T number, std::uint32_t) HWY_ATTR { return std::abs(number) >= threshold; });
}

/// Adds `count` fields to the sums; returns a bit for each field that is none of the three codes.
template <typename T>
HWY_INLINE HWY_ATTR std::uint64_t add_fields(T unit, std::uint64_t fields, std::uint32_t count,
                                             T* HWY_RESTRICT sums) {
  const std::uint32_t low = gathered(fields), high = gathered(fields >> 1);
  for (std::uint32_t j = 0; j < count; ++j) {
    const std::uint32_t code = (high >> j & 1U) * 2U + (low >> j & 1U);
    sums[j] += unit * static_cast<T>(static_cast<std::int32_t>(code) - 1);
  }
  return fields & fields >> 1 & even_bits;
}

template <typename T>
bool add_trits(T unit, const std::byte* HWY_RESTRICT from, std::span<T> sum) {
  std::uint64_t wrong = 0, fields = 0;
  std::size_t i = 0;
  for (; i + trits_at_once <= sum.size(); i += trits_at_once) {
    std::memcpy(&fields, from + i / 4, sizeof(fields));
    wrong |= add_fields(unit, fields, trits_at_once, sum.data() + i);
  }
  const auto count = static_cast<std::uint32_t>(sum.size() - i);
  if (count == 0) return wrong == 0;
  fields = 0;
  std::memcpy(&fields, from + i / 4, (2 * count + 7) / 8);
  wrong |= add_fields(unit, fields, count, sum.data() + i);
  return wrong == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_TERNARY_INL_HPP
