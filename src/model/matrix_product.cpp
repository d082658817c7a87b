// The one matrix product of the program.
//
// oneDNN 2.6 was here before. At the shapes of bench/kernels.cpp, on one core with AVX-512, this is
// 0.95 to 1.4 times as fast (250 of 265 GFLOP/s), and it allocates nothing, where dnnl_sgemm
// allocates once a call and a oneDNN primitive six times. The products of training are small enough
// for one level of blocking.
//
// C is worked out in panels of two vectors of columns; a panel of op(B), cut at block_depth, is
// laid out tightly in the calling thread's own memory, where it stays in the L1 cache while tiles
// of rows go over it. A tile's elements stay in registers: a block's terms are added one after
// another, so an element's bits depend on its row of A, its column of B and their length, and on
// nothing else.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "trainyard/model/kernels.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/matrix_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include "model/lanes-inl.hpp"
// clang-format on

#ifndef TRAINYARD_MODEL_MATRIX_PRODUCT_ONCE
#define TRAINYARD_MODEL_MATRIX_PRODUCT_ONCE
namespace trainyard::kernels {

/// alpha · op(A) · op(B) + beta · C, shapes as in kernels.hpp.
struct Product {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  float alpha;
  const float* a;
  const float* b;
  float beta;
  float* c;
};

/// Two vectors of 16 floats. block_depth rows of them are 32 KiB: with the rows of A that meet
/// them, what an L1 cache of 48 KiB holds.
inline constexpr std::size_t widest_panel = 32;

// For a lambda that must not become a call: what it captures would then have to lie in memory.
#define TRAINYARD_INLINE_ATTR HWY_ATTR __attribute__((always_inline))

}  // namespace trainyard::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// Of 32 registers, 28 hold sums, two the panel's row and one an element of A; of 16, 12 hold sums.
// Under sanitizers, whose checks make these unrolled bodies take minutes to compile, a few rows: no
// bit of a result depends on it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HWY_IS_ASAN || HWY_IS_TSAN
inline constexpr std::size_t most_rows = 3;
#else
inline constexpr std::size_t most_rows = hn::MaxLanes(lanes) >= 16 ? 14 : 6;
#endif

/// What one tile is: rows of A against a panel, and where it goes.
struct Tile {
  const float* a = nullptr;
  std::size_t a_stride;  // of A's stored rows
  const float* b;
  std::size_t b_stride;
  std::size_t depth;
  float* packed;  // where a tile that packs leaves the panel
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

/// C ← alpha · sums, plus beta · C where it Adds.
template <std::size_t Rows, std::size_t Vectors, bool Adds, typename Last>
HWY_INLINE HWY_ATTR void put_sums(const Tile& tile, const Vector (&sums)[Rows * Vectors],
                                  Last last) {
  const Vector alpha = hn::Set(lanes, tile.alpha), beta = hn::Set(lanes, tile.beta);
  float* c = tile.c;
  const std::size_t stride = tile.c_stride;
  const auto put = [&](Vector sum, auto access, float* to) TRAINYARD_INLINE_ATTR {
    access.store(
        Adds ? hn::MulAdd(alpha, sum, hn::Mul(beta, access.load(to))) : hn::Mul(alpha, sum), to);
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

template <std::size_t Rows, std::size_t Vectors, bool TransposeA, bool Pack>
HWY_NOINLINE HWY_ATTR void tile_product(const Tile& tile) {
  const std::size_t width = hn::Lanes(lanes);
  Vector sums[Rows * Vectors];
  unroll<Rows * Vectors>([&](auto s) TRAINYARD_INLINE_ATTR { sums[s] = hn::Zero(lanes); });
  // C is on its way while the sums are taken: worth 2 % where it lies beyond the L2 cache.
  unroll<Rows * Vectors>([&](auto s) TRAINYARD_INLINE_ATTR {
    hwy::Prefetch(tile.c + s / Vectors * tile.c_stride + s % Vectors * width);
  });
  const float* a = tile.a;
  const float* b = tile.b;
  float* packed = tile.packed;
  const std::size_t a_stride = tile.a_stride, b_stride = tile.b_stride;
  for (std::size_t l = tile.depth; l > 0; --l) {
    Vector row[Vectors];
    unroll<Vectors>([&](auto v) TRAINYARD_INLINE_ATTR {
      row[v] = hn::LoadU(lanes, b + v * width);
      if (Pack) hn::Store(row[v], lanes, packed + v * width);
    });
    unroll<Rows>([&](auto i) TRAINYARD_INLINE_ATTR {
      const Vector element = hn::Set(lanes, TransposeA ? a[i] : a[i * a_stride]);
      unroll<Vectors>([&](auto v) TRAINYARD_INLINE_ATTR {
        sums[i * Vectors + v] = hn::MulAdd(element, row[v], sums[i * Vectors + v]);
      });
    });
    a += TransposeA ? a_stride : 1;
    b += b_stride;
    if (Pack) packed += Vectors * width;
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

template <std::size_t Vectors, bool TransposeA, bool Pack, std::size_t Rows = most_rows>
HWY_INLINE HWY_ATTR void tile_of(std::size_t rows, const Tile& tile) {
  if (rows == Rows) {
    tile_product<Rows, Vectors, TransposeA, Pack>(tile);
  } else if constexpr (Rows > 1) {
    tile_of<Vectors, TransposeA, Pack, Rows - 1>(rows, tile);
  }
}

/// packed ← rows of B, `columns` of each, filled up with zeros.
HWY_INLINE HWY_ATTR void pack_rows(const float* b, std::size_t stride, std::size_t depth,
                                   std::size_t columns, std::size_t panel, float* packed) {
  for (std::size_t l = 0; l < depth; ++l, b += stride, packed += panel) {
    std::size_t at = 0;
    for_vectors(0, columns, [&](std::size_t from, auto access) HWY_ATTR {
      hn::Store(access.load(b + from), lanes, packed + from);
      at = from + hn::Lanes(lanes);
    });
    for (; at < panel; ++at) packed[at] = 0.0F;
  }
}

/// The same where B is stored transposed: `columns` rows of it, from `depth` columns.
HWY_INLINE HWY_ATTR void pack_columns(const float* b, std::size_t stride, std::size_t depth,
                                      std::size_t columns, std::size_t panel, float* packed) {
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  using Quad = hn::FixedTag<float, 4>;
  using Pair = hn::FixedTag<double, 2>;
  constexpr Quad quad;
  constexpr Pair pair;
  for (; j + 4 <= columns; j += 4) {
    const float* row = b + j * stride;
    std::size_t l = 0;
    for (; l + 4 <= depth; l += 4) {
      const auto r0 = hn::LoadU(quad, row + l), r1 = hn::LoadU(quad, row + stride + l);
      const auto r2 = hn::LoadU(quad, row + 2 * stride + l);
      const auto r3 = hn::LoadU(quad, row + 3 * stride + l);
      const auto low01 = hn::BitCast(pair, hn::InterleaveLower(quad, r0, r1));
      const auto low23 = hn::BitCast(pair, hn::InterleaveLower(quad, r2, r3));
      const auto high01 = hn::BitCast(pair, hn::InterleaveUpper(quad, r0, r1));
      const auto high23 = hn::BitCast(pair, hn::InterleaveUpper(quad, r2, r3));
      float* to = packed + l * panel + j;
      hn::StoreU(hn::BitCast(quad, hn::InterleaveLower(pair, low01, low23)), quad, to);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveUpper(pair, low01, low23)), quad, to + panel);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveLower(pair, high01, high23)), quad,
                 to + 2 * panel);
      hn::StoreU(hn::BitCast(quad, hn::InterleaveUpper(pair, high01, high23)), quad,
                 to + 3 * panel);
    }
    for (; l < depth; ++l) {
      for (std::size_t i = 0; i < 4; ++i) packed[l * panel + j + i] = row[i * stride + l];
    }
  }
#endif
  for (; j < panel; ++j) {
    for (std::size_t l = 0; l < depth; ++l) {
      packed[l * panel + j] = j < columns ? b[j * stride + l] : 0.0F;
    }
  }
}

/// One panel of C over one block of k, by tiles of rows as equal as can be.
template <std::size_t Vectors, bool TransposeA>
HWY_INLINE HWY_ATTR void block_product(const Product& p, std::size_t first, Tile tile) {
  const bool packs = tile.b != tile.packed && p.m > most_rows;
  const std::size_t tiles = (p.m + most_rows - 1) / most_rows;
  float* const c = tile.c;
  for (std::size_t t = 0, row = 0; t < tiles; ++t) {
    const std::size_t rows = (p.m - row) / (tiles - t);
    tile.a = TransposeA ? p.a + first * p.m + row : p.a + row * p.k + first;
    tile.c = c + row * p.n;
    if (t == 0 && packs) {
      tile_of<Vectors, TransposeA, true>(rows, tile);
      tile.b = tile.packed;
      tile.b_stride = Vectors * hn::Lanes(lanes);
    } else {
      tile_of<Vectors, TransposeA, false>(rows, tile);
    }
    row += rows;
  }
}

/// The panel of C that begins at `column`. Whole panels of a B that is not transposed are read in
/// place, by the first tile of rows, which leaves them packed for the others: a pass of its own
/// over B would take 6 % of the time of 32 rows.
template <std::size_t Vectors>
HWY_INLINE HWY_ATTR void panel_product(const Product& p, std::size_t column, float* packed) {
  const std::size_t panel = Vectors * hn::Lanes(lanes);
  const std::size_t columns = std::min(panel, p.n - column);
  const std::size_t blocks = (p.k + block_depth - 1) / block_depth;
  for (std::size_t block = 0, first = 0; block < blocks; ++block) {
    const std::size_t depth = (p.k - first) / (blocks - block);
    Tile tile{.a_stride = p.transpose_a ? p.m : p.k,
              .b = packed,
              .b_stride = panel,
              .depth = depth,
              .packed = packed,
              .alpha = p.alpha,
              .beta = block == 0 ? p.beta : 1.0F,
              .c = p.c + column,
              .c_stride = p.n,
              .columns = columns};
    if (p.transpose_b) {
      pack_columns(p.b + column * p.k + first, p.k, depth, columns, panel, packed);
    } else if (columns < panel) {
      pack_rows(p.b + first * p.n + column, p.n, depth, columns, panel, packed);
    } else {
      tile.b = p.b + first * p.n + column;
      tile.b_stride = p.n;
    }
    if (p.transpose_a) {
      block_product<Vectors, true>(p, first, tile);
    } else {
      block_product<Vectors, false>(p, first, tile);
    }
    first += depth;
  }
}

void product(const Product& p, float* packed) {
  const std::size_t width = hn::Lanes(lanes);
  std::size_t column = 0;
  for (; column + width < p.n; column += 2 * width) panel_product<2>(p, column, packed);
  if (column < p.n) panel_product<1>(p, column, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {
namespace {
HWY_EXPORT(product);
}  // namespace

void matrix_product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
                    float alpha, const float* a, const float* b, float beta, float* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (beta == 0.0F) {
      std::fill_n(c, m * n, 0.0F);
    } else {
      scale(beta, std::span(c, m * n));
    }
    return;
  }
  alignas(64) static thread_local float packed[block_depth * widest_panel];
  HWY_DYNAMIC_DISPATCH(product)
  ({transpose_a, transpose_b, m, n, k, alpha, a, b, beta, c}, packed);
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
