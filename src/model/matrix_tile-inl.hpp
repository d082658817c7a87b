// One tile of a matrix product: some rows of A against a panel of B, its sums in registers.
//
// Compiled once for each instruction set (Highway's foreach_target), hence the odd include guard.
#if defined(TRAINYARD_MODEL_MATRIX_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_MODEL_MATRIX_TILE_INL_HPP
#undef TRAINYARD_MODEL_MATRIX_TILE_INL_HPP
#else
#define TRAINYARD_MODEL_MATRIX_TILE_INL_HPP
#endif

#include <cstddef>
#include <type_traits>
#include <utility>

#include "model/lanes-inl.hpp"

// For a lambda that must not become a call: what it captures would then have to lie in memory.
#ifndef TRAINYARD_INLINE_ATTR
#define TRAINYARD_INLINE_ATTR HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// The most rows of a tile. Of 32 registers, 28 hold sums, two the panel's row and one an element of
// A; of 16, 12 hold sums. Under sanitizers, whose checks make these unrolled bodies take minutes to
// compile, a few rows: no bit of a result depends on it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HWY_IS_ASAN || HWY_IS_TSAN
inline constexpr std::size_t most_rows = 3;
#else
inline constexpr std::size_t most_rows = hn::MaxLanes(lanes) >= 16 ? 14 : 6;
#endif
/// A tile twice as wide, used only where there are 32 registers. Seven rows, the panel's four
/// vectors and an element of A need one more: a sum lies on the stack, which takes about 12 of the
/// 14 or 28 cycles of a term.
inline constexpr std::size_t wide_vectors = 4;
inline constexpr std::size_t most_wide_rows = most_rows / 2;
inline constexpr bool has_wide_tiles = hn::MaxLanes(lanes) >= 16;

/// The operands of a tile: rows of A against a panel, and where the result goes.
struct Tile {
  const float* a = nullptr;
  std::size_t a_stride;  // of A's stored rows
  const float* b;
  std::size_t b_stride;
  std::size_t depth;
  float* packed;  // where a tile that packs leaves the panel
  // Memory that is to be in the L2 cache soon: a line for each row of the panel, where memory may
  // end.
  const float* soon;
  std::size_t soon_stride;
  float alpha, beta;
  float* c;
  std::size_t c_stride;
  std::size_t columns;  // of C in this panel, at most the vectors' lanes
};

// body(0), body(1), … body(Count - 1), each index a constant: what keeps an array of vectors in
// registers, where a loop would have it in memory.
template <typename Body, std::size_t... Index>
HWY_INLINE HWY_ATTR void unroll(std::index_sequence<Index...>, const Body& body) {
  (body(std::integral_constant<std::size_t, Index>{}), ...);
}
template <std::size_t Count, typename Body>
HWY_INLINE HWY_ATTR void unroll(const Body& body) {
  unroll(std::make_index_sequence<Count>{}, body);
}

/// C ← sums, or alpha · sums + beta · C where it Adds.
template <std::size_t Rows, std::size_t Vectors, bool Adds, typename Last>
HWY_INLINE HWY_ATTR void put_sums(const Tile& tile, const Vector (&sums)[Rows * Vectors],
                                  Last last) {
  const Vector alpha = hn::Set(lanes, tile.alpha), beta = hn::Set(lanes, tile.beta);
  float* c = tile.c;
  const std::size_t stride = tile.c_stride;
  const auto put = [&](Vector sum, auto access, float* to) TRAINYARD_INLINE_ATTR {
    access.store(Adds ? hn::MulAdd(alpha, sum, hn::Mul(beta, access.load(to))) : sum, to);
  };
  unroll<Rows>([&](auto i) TRAINYARD_INLINE_ATTR {
    unroll<Vectors>([&](auto v) TRAINYARD_INLINE_ATTR {
      float* const to = c + v * hn::Lanes(lanes);
      if constexpr (v + 1 < Vectors) {
        put(sums[i * Vectors + v], Whole{}, to);
      } else {
        put(sums[i * Vectors + v], last, to);
      }
    });
    c += stride;
  });
}

template <std::size_t Rows, std::size_t Vectors, bool Across, bool Pack>
HWY_NOINLINE HWY_ATTR void tile_product(const Tile& tile) {
  const std::size_t width = hn::Lanes(lanes);
  Vector sums[Rows * Vectors];
  unroll<Rows * Vectors>([&](auto s) TRAINYARD_INLINE_ATTR { sums[s] = hn::Zero(lanes); });
  const float* a = tile.a;
  const float* b = tile.b;
  float* packed = tile.packed;
  const std::size_t a_stride = tile.a_stride, b_stride = tile.b_stride;
  const float* soon = tile.soon;
  const std::size_t soon_stride = tile.soon_stride;
  for (std::size_t l = tile.depth; l > 0; --l) {
    Vector row[Vectors];
    unroll<Vectors>([&](auto v) TRAINYARD_INLINE_ATTR {
      row[v] = hn::LoadU(lanes, b + v * width);
      if (Pack) hn::Store(row[v], lanes, packed + v * width);
    });
    unroll<Rows>([&](auto i) TRAINYARD_INLINE_ATTR {
      const Vector element = hn::Set(lanes, Across ? a[i] : a[i * a_stride]);
      unroll<Vectors>([&](auto v) TRAINYARD_INLINE_ATTR {
        sums[i * Vectors + v] = hn::MulAdd(element, row[v], sums[i * Vectors + v]);
      });
    });
    a += Across ? a_stride : 1;
    b += b_stride;
    if (Pack) {
      packed += Vectors * width;
    } else {
      __builtin_prefetch(soon, 0, 2);
      soon += soon_stride;
    }
  }
  // 28 of a tile's instructions for units that have no time to spare; alpha is mostly 1.
  if (tile.beta == 0.0F && tile.alpha != 1.0F) {
    const Vector alpha = hn::Set(lanes, tile.alpha);
    unroll<Rows * Vectors>([&](auto s)
                               TRAINYARD_INLINE_ATTR { sums[s] = hn::Mul(alpha, sums[s]); });
  }
  const std::size_t last_columns = tile.columns - (Vectors - 1) * width;
  if (last_columns == width && tile.beta == 0.0F) {
    put_sums<Rows, Vectors, false>(tile, sums, Whole{});
  } else if (last_columns == width) {
    put_sums<Rows, Vectors, true>(tile, sums, Whole{});
  } else if (tile.beta == 0.0F) {
    put_sums<Rows, Vectors, false>(tile, sums, Part{last_columns});
  } else {
    put_sums<Rows, Vectors, true>(tile, sums, Part{last_columns});
  }
}

template <std::size_t Vectors, bool Across, bool Pack, std::size_t Rows = most_rows>
HWY_INLINE HWY_ATTR void tile_of(std::size_t rows, const Tile& tile) {
  if (rows == Rows) {
    tile_product<Rows, Vectors, Across, Pack>(tile);
  } else if constexpr (Rows > 1) {
    tile_of<Vectors, Across, Pack, Rows - 1>(rows, tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_MODEL_MATRIX_TILE_INL_HPP
