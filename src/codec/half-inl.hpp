// The loops of half.cpp, which has the rules: fp16 and bf16.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_HALF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_HALF_INL_HPP
#undef TRAINYARD_CODEC_HALF_INL_HPP
#else
#define TRAINYARD_CODEC_HALF_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

inline constexpr double largest_float = std::numeric_limits<float>::max();

/// Rounded, and the largest float where it is beyond.
inline float as_float(double x) {
  return static_cast<float>(std::clamp(x, -largest_float, largest_float));
}
inline float as_float(float x) {
  return x;
}

/// a or b, without a branch, which would keep the compiler from taking several numbers at once.
inline std::uint32_t chosen(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

struct Fp16 {
  static constexpr float largest = 65504.0F;
  static constexpr std::uint32_t not_finite = 0x7C00;  // all bits of the exponent

  static std::uint16_t from(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude =
        std::min(bits & 0x7FFFFFFFU, std::bit_cast<std::uint32_t>(largest));
    // Below 2^-14 a unit of the last place is 2^-24, as it is between 0.5 and 1 of a float.
    const std::uint32_t small =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
    // Else the exponent's bias changes from 127 to 15, and 13 bits are rounded away: half a unit is
    // added, but a little less where the last bit that stays is even.
    const std::uint32_t normal =
        (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    const std::uint32_t rounded = chosen(magnitude < (113U << 23), small, normal);
    return static_cast<std::uint16_t>(rounded | (bits >> 16 & 0x8000U));
  }

  static float to_float(std::uint16_t code) {
    const std::uint32_t magnitude = code & 0x7FFFU;
    const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
    const std::uint32_t normal = (magnitude << 13) + (112U << 23);
    const std::uint32_t bits =
        chosen(magnitude < 0x400U, std::bit_cast<std::uint32_t>(small), normal);
    return std::bit_cast<float>(bits | (code & 0x8000U) << 16);
  }
};

struct Bf16 {
  static constexpr float largest = 0x1.FEp127F;
  static constexpr std::uint32_t not_finite = 0x7F80;

  static std::uint16_t from(float x) {
    const float within = x > -largest ? x : -largest;
    const auto bits = std::bit_cast<std::uint32_t>(within < largest ? within : largest);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
  }
  static float to_float(std::uint16_t code) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
  }
};

#if HWY_TARGET <= HWY_AVX2
/// There is an instruction for it, three times as fast as the loop.
HWY_INLINE HWY_ATTR std::size_t write_fp16_vectors(std::span<const float> x, std::byte* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> numbers;
  const hn::Rebind<hwy::float16_t, decltype(numbers)> halves;
  const auto largest = hn::Set(numbers, Fp16::largest);
  std::size_t i = 0;
  for (; i + hn::Lanes(numbers) <= x.size(); i += hn::Lanes(numbers)) {
    const auto value = hn::Clamp(hn::LoadU(numbers, x.data() + i), hn::Neg(largest), largest);
    hn::StoreU(hn::DemoteTo(halves, value), halves,
               reinterpret_cast<hwy::float16_t*>(to + i * sizeof(std::uint16_t)));
  }
  return i;
}

/// One instruction takes the upper halves of two vectors; compilers shift and narrow each.
HWY_INLINE HWY_ATTR std::size_t write_bf16_vectors(std::span<const float> x, std::byte* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> numbers;
  const hn::RebindToUnsigned<decltype(numbers)> words;
  const hn::Repartition<std::uint16_t, decltype(words)> halves;
  const auto largest = hn::Set(numbers, Bf16::largest);
  const auto rounded = [&](const float* from) HWY_ATTR {
    const auto value = hn::Min(hn::Max(hn::LoadU(numbers, from), hn::Neg(largest)), largest);
    const auto bits = hn::BitCast(words, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    return hn::BitCast(halves, hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF))));
  };
  const std::size_t lanes = hn::Lanes(numbers);
  std::size_t i = 0;
  for (; i + 2 * lanes <= x.size(); i += 2 * lanes) {
    hn::StoreU(hn::ConcatOdd(halves, rounded(x.data() + i + lanes), rounded(x.data() + i)), halves,
               reinterpret_cast<std::uint16_t*>(to + i * sizeof(std::uint16_t)));
  }
  return i;
}

template <typename Format>
HWY_INLINE HWY_ATTR std::size_t write_vectors(std::span<const float> x, std::byte* to) {
  if constexpr (std::same_as<Format, Fp16>) {
    return write_fp16_vectors(x, to);
  } else {
    return write_bf16_vectors(x, to);
  }
}
#else
template <typename Format>
std::size_t write_vectors(std::span<const float>, std::byte*) {
  return 0;
}
#endif
template <typename Format>
std::size_t write_vectors(std::span<const double>, std::byte*) {
  return 0;
}

template <typename Format, typename T>
void write_halves(std::span<const T> x, std::byte* HWY_RESTRICT to) {
  for (std::size_t i = write_vectors<Format>(x, to); i < x.size(); ++i) {
    const std::uint16_t code = Format::from(as_float(x[i]));
    std::memcpy(to + i * sizeof(code), &code, sizeof(code));
  }
}

template <typename Format, typename T>
bool add_halves(T factor, const std::byte* HWY_RESTRICT from, std::span<T> sum) {
  T* HWY_RESTRICT const sums = sum.data();
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, from + i * sizeof(code), sizeof(code));
    wrong |= static_cast<std::uint32_t>((code & Format::not_finite) == Format::not_finite);
    sums[i] += factor * static_cast<T>(Format::to_float(code));
  }
  return wrong == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_HALF_INL_HPP
