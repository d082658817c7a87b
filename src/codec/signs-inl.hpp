// Signs in a bit each, the first one in the lowest bit of the first byte.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_SIGNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_SIGNS_INL_HPP
#undef TRAINYARD_CODEC_SIGNS_INL_HPP
#else
#define TRAINYARD_CODEC_SIGNS_INL_HPP
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

inline constexpr std::uint32_t signs_at_once = 32;

template <typename T>
HWY_INLINE HWY_ATTR std::uint32_t signs_of(const T* x) {
  std::uint32_t word = 0;
  for (std::uint32_t j = 0; j < signs_at_once; ++j) {
    word |= static_cast<std::uint32_t>(x[j] < T{0}) << j;
  }
  return word;
}

template <typename T>
void write_signs(std::span<const T> x, std::byte* HWY_RESTRICT to) {
  std::size_t i = 0;
  for (; i + signs_at_once <= x.size(); i += signs_at_once) {
    const std::uint32_t word = signs_of(x.data() + i);
    std::memcpy(to + i / 8, &word, sizeof(word));
  }
  if (i == x.size()) return;
  T rest[signs_at_once] = {};
  std::memcpy(rest, x.data() + i, (x.size() - i) * sizeof(T));
  const std::uint32_t word = signs_of(rest);
  std::memcpy(to + i / 8, &word, (x.size() - i + 7) / 8);
}

template <typename T>
void add_signs(T value, const std::byte* HWY_RESTRICT from, std::span<T> sum) {
  using Bits = std::make_unsigned_t<MagnitudeKey<T>>;
  constexpr unsigned sign = 8 * sizeof(T) - 1;
  const auto positive = std::bit_cast<Bits>(value);
  T* HWY_RESTRICT const sums = sum.data();
  const auto signed_value = [=](std::uint32_t word, std::uint32_t j) HWY_ATTR {
    return std::bit_cast<T>(positive ^ (Bits{word >> j & 1U} << sign));
  };
  std::size_t i = 0;
  for (; i + signs_at_once <= sum.size(); i += signs_at_once) {
    std::uint32_t word = 0;
    std::memcpy(&word, from + i / 8, sizeof(word));
    for (std::uint32_t j = 0; j < signs_at_once; ++j) sums[i + j] += signed_value(word, j);
  }
  if (i == sum.size()) return;
  std::uint32_t word = 0;
  std::memcpy(&word, from + i / 8, (sum.size() - i + 7) / 8);
  for (std::uint32_t j = 0; i + j < sum.size(); ++j) sums[i + j] += signed_value(word, j);
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_SIGNS_INL_HPP
