// Laying parts of matrices out anew, for matrix_product.cpp: copies, no arithmetic.
//
// What may be shorter than a vector is laid down by Highway's own stores, and in loops over rows
// and columns the inner one runs along memory. GCC 14.2 at -O3 turns the outer of two loops into
// vectors where that one runs along memory; then it takes the place where the loop begins to be as
// aligned as the array it is in, and stores with vmovaps to addresses that are no multiple of 32.
//
// Compiled once for each instruction set (Highway's foreach_target), hence the odd include guard.
#if defined(TRAINYARD_MODEL_MATRIX_LAYOUT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_MODEL_MATRIX_LAYOUT_INL_HPP
#undef TRAINYARD_MODEL_MATRIX_LAYOUT_INL_HPP
#else
#define TRAINYARD_MODEL_MATRIX_LAYOUT_INL_HPP
#endif

#include <cstddef>

#include "model/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

/// to ← `count` lines of `length` floats, each filled up with zeros to whole vectors.
HWY_INLINE HWY_ATTR void copy_lines(const float* from, std::size_t from_stride, std::size_t count,
                                    std::size_t length, float* to, std::size_t to_stride) {
  for (std::size_t line = 0; line < count; ++line, from += from_stride, to += to_stride) {
    for_vectors(0, length, [&](std::size_t at, auto access) HWY_ATTR {
      hn::StoreU(access.load(from + at), lanes, to + at);
    });
  }
}

/// The vectors of each of `count` lines from the one with column `first` on, up to column `end`, ←
/// 0. REQUIRES: `to` is aligned to vectors; to_stride and `end` are whole vectors.
HWY_INLINE HWY_ATTR void clear_columns(float* to, std::size_t to_stride, std::size_t count,
                                       std::size_t first, std::size_t end) {
  const std::size_t width = hn::Lanes(lanes);
  for (std::size_t line = 0; line < count; ++line, to += to_stride) {
    for (std::size_t at = first / width * width; at < end; at += width) {
      hn::Store(hn::Zero(lanes), lanes, to + at);
    }
  }
}

/// to[l · to_stride + j] ← from[j · from_stride + l] for j < count and l < length. In squares of
/// four: eight shuffles and four stores move 16 floats.
HWY_INLINE HWY_ATTR void transpose(const float* from, std::size_t from_stride, std::size_t count,
                                   std::size_t length, float* to, std::size_t to_stride) {
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  using Quad = hn::FixedTag<float, 4>;
  using Pair = hn::FixedTag<double, 2>;
  constexpr Quad quad;
  constexpr Pair pair;
  for (; j + 4 <= count; j += 4) {
    const float* line = from + j * from_stride;
    std::size_t l = 0;
    for (; l + 4 <= length; l += 4) {
      const auto r0 = hn::LoadU(quad, line + l), r1 = hn::LoadU(quad, line + from_stride + l);
      const auto r2 = hn::LoadU(quad, line + 2 * from_stride + l);
      const auto r3 = hn::LoadU(quad, line + 3 * from_stride + l);
      const auto low01 = hn::BitCast(pair, hn::InterleaveLower(quad, r0, r1));
      const auto low23 = hn::BitCast(pair, hn::InterleaveLower(quad, r2, r3));
      const auto high01 = hn::BitCast(pair, hn::InterleaveUpper(quad, r0, r1));
      const auto high23 = hn::BitCast(pair, hn::InterleaveUpper(quad, r2, r3));
      float* at = to + l * to_stride + j;
      hn::StoreU(hn::BitCast(quad, hn::InterleaveLower(pair, low01, low23)), quad, at);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveUpper(pair, low01, low23)), quad, at + to_stride);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveLower(pair, high01, high23)), quad,
                 at + 2 * to_stride);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveUpper(pair, high01, high23)), quad,
                 at + 3 * to_stride);
    }
    for (; l < length; ++l) {
      for (std::size_t i = 0; i < 4; ++i) to[l * to_stride + j + i] = line[i * from_stride + l];
    }
  }
#endif
  if (j == count) return;
  for (std::size_t l = 0; l < length; ++l) {
    for (std::size_t i = j; i < count; ++i) to[l * to_stride + i] = from[i * from_stride + l];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_MODEL_MATRIX_LAYOUT_INL_HPP
