// The passes over a whole vector of magnitude.hpp.
//
// Compiled once for each instruction set (loops.cpp), hence the odd include guard.
#if defined(TRAINYARD_CODEC_MAGNITUDE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_CODEC_MAGNITUDE_INL_HPP
#undef TRAINYARD_CODEC_MAGNITUDE_INL_HPP
#else
#define TRAINYARD_CODEC_MAGNITUDE_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hwy/highway.h>

#include "trainyard/codec/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

template <typename T>
HWY_INLINE HWY_ATTR bool reaches(T x, MagnitudeKey<T> least) {
  return std::bit_cast<MagnitudeKey<T>>(std::abs(x)) >= least;
}

// In blocks, so that a count has no more bits than a number.
template <typename T>
std::size_t count_from(std::span<const T> x, MagnitudeKey<T> least) {
  constexpr std::size_t most = 4096;
  std::size_t count = 0;
  for (std::size_t first = 0; first < x.size(); first += most) {
    MagnitudeKey<T> in_block = 0;
    for (const T value : x.subspan(first, std::min(most, x.size() - first))) {
      in_block += static_cast<MagnitudeKey<T>>(reaches(value, least));
    }
    count += static_cast<std::size_t>(in_block);
  }
  return count;
}

// A bit for each of 32 numbers, then a step for each bit that is set: where few numbers are kept
// few steps are taken, and there is no branch for each number.
template <typename T>
std::size_t places_from(std::span<const T> x, MagnitudeKey<T> least,
                        std::span<std::uint32_t> places) {
  constexpr std::uint32_t at_once = 32;
  std::size_t i = 0, count = 0;
  for (; i + at_once <= x.size(); i += at_once) {
    const T* const numbers = x.data() + i;
    std::uint32_t word = 0;
    for (std::uint32_t j = 0; j < at_once; ++j) {
      word |= static_cast<std::uint32_t>(reaches(numbers[j], least)) << j;
    }
    for (; word != 0; word &= word - 1) {
      places[count++] =
          static_cast<std::uint32_t>(i + static_cast<unsigned>(std::countr_zero(word)));
    }
  }
  for (; i < x.size(); ++i) {
    if (reaches(x[i], least)) places[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_CODEC_MAGNITUDE_INL_HPP
