// The one matrix product of the program.
//
// Beside OpenBLAS 0.3.21 and oneDNN 2.6, see "Products" of docs/limits.md. It allocates
// nothing, where dnnl_sgemm allocates once a call and a oneDNN primitive six times. The products of
// training are small enough for few levels of blocking.
//
// C is worked out in panels of two vectors of columns; a panel of B, cut at block_depth, is laid
// out tightly in the calling thread's own memory, where it stays in the L1 cache while tiles of
// rows go over it. (Of few terms B is read where it lies, by tiles twice as wide.) A tile's
// elements stay in registers: a block's terms are added one after another, so an element's bits
// depend on its row of A, its column of B and their length, and on nothing else. So rows and
// columns may change places, C being turned tile by tile: ten columns would leave 6 of 16 lanes
// idle, and turning a minibatch costs less than turning all weights.
#include <algorithm>
#include <utility>

#include "trainyard/model/kernels.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/matrix_product.cpp"
#include <hwy/foreach_target.h>
#include "model/matrix_layout-inl.hpp"
#include "model/matrix_tile-inl.hpp"
// clang-format on

#ifndef TRAINYARD_MODEL_MATRIX_PRODUCT_ONCE
#define TRAINYARD_MODEL_MATRIX_PRODUCT_ONCE
namespace trainyard::kernels {

/// C ← alpha · A · B + beta · C. Where a matrix lies "across", its stride is between what belongs
/// to different l, or to different columns of C: (i, l) of A is a[l · a_stride + i] then, else
/// a[i · a_stride + l]; (l, j) of B is b[l · b_stride + j] or b[j · b_stride + l]; (i, j) of C is
/// c[j · c_stride + i] or c[i · c_stride + j].
struct Product {
  std::size_t rows, columns, depth;
  float alpha, beta;
  const float* a;
  std::size_t a_stride;
  bool a_across;
  const float* b;
  std::size_t b_stride;
  bool b_across;
  float* c;
  std::size_t c_stride;
  bool c_across;
};

/// The widest panel that is laid out: two vectors of 16 floats. block_depth rows of them are 32
/// KiB: with the rows of A that meet them, what an L1 cache of 48 KiB holds.
inline constexpr std::size_t widest_panel = 32;
/// 18 tiles of 14 rows. block_depth of them are 0.27 MiB, which any L2 cache holds.
inline constexpr std::size_t row_block = 252;
/// Lines of 17 cache lines, an odd number, do not fall into the same sets.
inline constexpr std::size_t line_stride = 272;
/// Lines with a multiple of this stride, 4 KiB, all begin in one set of an L1 cache, of 8 to 12
/// lines: 14 rows push each other out. Where many panels meet them, they are laid out anew.
inline constexpr std::size_t aliasing_stride = 1024;

/// Copying them pays from four panels on: more columns than this.
inline constexpr std::size_t fewest_columns_to_copy = 96;
/// Tiles of so few terms write C in order: 512 × 1024 × 16 takes 0.7 of the time then, and 0.8 of
/// that with wide tiles, which write longer runs of fewer rows.
inline constexpr std::size_t most_depth_in_order = 32;
/// So many lines that fall into one set of an L1 cache stay there: 128 × 10 × 2048, whose rows of A
/// alias and are not worth a copy, takes 0.67 of the time that tiles of 14 rows take.
inline constexpr std::size_t most_aliasing_rows = 7;

/// Memory in which a thread lays out operands anew.
struct Scratch {
  alignas(64) float panel[block_depth * widest_panel];  // of B
  alignas(64) float rows[block_depth * line_stride];    // of A
  alignas(64) float tile[16 * widest_panel];            // of C, turned
};

}  // namespace trainyard::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

/// The most rows of a tile that is turned, a multiple of four.
inline constexpr std::size_t most_turned_rows = most_rows > 12 ? 12 : most_rows;

/// tile_of() where C lies across: it is turned in memory of the thread's own.
template <std::size_t Vectors, bool Across, bool Pack>
HWY_INLINE HWY_ATTR void turned_tile_of(std::size_t rows, Tile tile, float* turned) {
  float* const c = tile.c;
  const std::size_t stride = tile.c_stride, columns = tile.columns;
  tile.c = turned;
  tile.c_stride = tile.columns = Vectors * hn::Lanes(lanes);
  if (tile.beta != 0.0F) transpose(c, stride, columns, rows, turned, tile.c_stride);
  tile_of<Vectors, Across, Pack>(rows, tile);
  transpose(turned, tile.c_stride, rows, columns, c, stride);
}

/// One panel of C, by tiles of rows as equal as can be; turned ones by fours. tile.c is where the
/// panel begins.
template <std::size_t Vectors, bool Across>
HWY_INLINE HWY_ATTR void panel_rows(const Product& p, Tile tile, float* turned) {
  const bool aliases = !Across && p.a_stride % aliasing_stride == 0;
  const std::size_t most = p.c_across ? most_turned_rows
                           : aliases  ? std::min(most_aliasing_rows, most_rows)
                                      : most_rows;
  const bool packs = tile.b != tile.packed && p.rows > most;
  const std::size_t tiles = (p.rows + most - 1) / most;
  const float* const next = tile.b + Vectors * hn::Lanes(lanes);
  float* const c = tile.c;
  for (std::size_t t = 0, row = 0; t < tiles; ++t) {
    const std::size_t left = p.rows - row;
    const std::size_t rows = p.c_across ? std::min(most, left) : left / (tiles - t);
    tile.a = p.a + (Across ? row : row * p.a_stride);
    tile.c = c + (p.c_across ? row : row * p.c_stride);
    const bool first = t == 0 && packs;
    // The next panel's rows lie apart, where no prefetching of the processor's own finds them. The
    // second tile fetches their first halves, the third the others.
    if (packs && t > 0 && t < 3) {
      tile.soon = next + (t - 1) * hn::Lanes(lanes);
      tile.soon_stride = p.b_stride;
    } else {
      tile.soon = tile.packed;
      tile.soon_stride = 0;
    }
    if (p.c_across) {
      first ? turned_tile_of<Vectors, Across, true>(rows, tile, turned)
            : turned_tile_of<Vectors, Across, false>(rows, tile, turned);
    } else {
      first ? tile_of<Vectors, Across, true>(rows, tile)
            : tile_of<Vectors, Across, false>(rows, tile);
    }
    if (first) {
      tile.b = tile.packed;
      tile.b_stride = Vectors * hn::Lanes(lanes);
    }
    row += rows;
  }
}

/// Columns of C from `column` on, B read where it lies.
HWY_INLINE HWY_ATTR Tile tile_at(const Product& p, std::size_t column, std::size_t columns,
                                 Scratch& scratch) {
  return {.a = p.a,
          .a_stride = p.a_stride,
          .b = p.b + (p.b_across ? column : column * p.b_stride),
          .b_stride = p.b_stride,
          .depth = p.depth,
          .packed = scratch.panel,
          .soon = scratch.panel,
          .soon_stride = 0,
          .alpha = p.alpha,
          .beta = p.beta,
          .c = p.c + (p.c_across ? column * p.c_stride : column),
          .c_stride = p.c_stride,
          .columns = columns};
}

/// The panel of C that begins at `column`. Whole panels of a B that lies across are read in place,
/// by the first tile of rows, which leaves them packed for the others: a pass of its own over B
/// would take 6 % of the time of 32 rows.
template <std::size_t Vectors>
HWY_INLINE HWY_ATTR void panel_product(const Product& p, std::size_t column, Scratch& scratch) {
  const std::size_t panel = Vectors * hn::Lanes(lanes);
  const std::size_t columns = std::min(panel, p.columns - column);
  Tile tile = tile_at(p, column, columns, scratch);
  const float* const b = tile.b;
  if (!p.b_across || columns < panel) {
    tile.b = scratch.panel;
    tile.b_stride = panel;
  }
  if (!p.b_across) {
    if (columns < panel) clear_columns(scratch.panel, panel, p.depth, columns, panel);
    transpose(b, p.b_stride, columns, p.depth, scratch.panel, panel);
  } else if (columns < panel) {
    copy_lines(b, p.b_stride, p.depth, columns, scratch.panel, panel);
  }
  if (p.a_across) {
    panel_rows<Vectors, true>(p, tile, scratch.tile);
  } else {
    panel_rows<Vectors, false>(p, tile, scratch.tile);
  }
}

/// Wide tiles, as many as are whole, of at most most_wide_rows rows, B read where it lies; returns
/// the first column that is left.
HWY_INLINE HWY_ATTR std::size_t wide_tiles(const Product& p, Scratch& scratch) {
  const std::size_t columns = wide_vectors * hn::Lanes(lanes);
  std::size_t column = 0;
  for (; column + columns <= p.columns; column += columns) {
    const Tile tile = tile_at(p, column, columns, scratch);
    if (p.a_across) {
      tile_of<wide_vectors, true, false, most_wide_rows>(p.rows, tile);
    } else {
      tile_of<wide_vectors, false, false, most_wide_rows>(p.rows, tile);
    }
  }
  return column;
}

/// One block of rows over one block of the depth.
void block_product(const Product& p, bool wide, Scratch& scratch) {
  const std::size_t width = hn::Lanes(lanes);
  std::size_t column = 0;
  if constexpr (has_wide_tiles) {
    if (wide) column = wide_tiles(p, scratch);
  }
  for (; column + width < p.columns; column += 2 * width) panel_product<2>(p, column, scratch);
  if (column < p.columns) panel_product<1>(p, column, scratch);
}

std::size_t rounded_up(std::size_t count, std::size_t by) {
  return (count + by - 1) / by;
}

/// One block of the depth, which begins at `first`. A's rows are laid out anew, for all panels,
/// where they alias. Where a tile has few terms its time goes into writing C: then all panels of
/// some rows come one after another, which writes C in order.
void depth_product(const Product& p, std::size_t first, std::size_t depth, Scratch& scratch) {
  Product part = p;
  part.depth = depth;
  if (first > 0) part.beta = 1.0F;
  part.b += p.b_across ? first * p.b_stride : first;
  const bool in_order = p.b_across && !p.c_across && depth <= most_depth_in_order;
  const bool copies =
      !in_order && p.a_stride % aliasing_stride == 0 && p.columns > fewest_columns_to_copy;
  const bool wide = in_order && has_wide_tiles && p.columns >= wide_vectors * hn::Lanes(lanes);
  const std::size_t most = copies     ? row_block
                           : wide     ? most_wide_rows
                           : in_order ? most_rows
                                      : p.rows;
  const std::size_t blocks = rounded_up(p.rows, most);
  for (std::size_t block = 0, row = 0; block < blocks; ++block) {
    part.rows = (p.rows - row) / (blocks - block);
    part.a = p.a + (p.a_across ? first * p.a_stride + row : row * p.a_stride + first);
    part.c = p.c + (p.c_across ? row : row * p.c_stride);
    if (copies) {
      const auto [lines, length] =
          p.a_across ? std::pair(depth, part.rows) : std::pair(part.rows, depth);
      copy_lines(part.a, p.a_stride, lines, length, scratch.rows, line_stride);
      part.a = scratch.rows;
      part.a_stride = line_stride;
    }
    block_product(part, wide, scratch);
    row += part.rows;
  }
}

/// About how long it takes, in quarters of a cycle: two sums of vectors a cycle; a float turned
/// takes a quarter, in a tile of C twice that.
std::size_t cost(const Product& p) {
  const std::size_t sums = 2 * p.rows * rounded_up(p.columns, hn::Lanes(lanes)) * p.depth;
  const std::size_t turned_b = p.b_across ? 0 : p.columns * p.depth;
  const std::size_t turned_c =
      p.c_across ? 2 * p.rows * p.columns * rounded_up(p.depth, block_depth) : 0;
  return sums + turned_b + turned_c;
}

/// Cᵀ = Bᵀ · Aᵀ, the same bits in the same places.
Product exchanged(const Product& p) {
  return {.rows = p.columns,
          .columns = p.rows,
          .depth = p.depth,
          .alpha = p.alpha,
          .beta = p.beta,
          .a = p.b,
          .a_stride = p.b_stride,
          .a_across = p.b_across,
          .b = p.a,
          .b_stride = p.a_stride,
          .b_across = p.a_across,
          .c = p.c,
          .c_stride = p.c_stride,
          .c_across = !p.c_across};
}

void product(const Product& natural, Scratch& scratch) {
  const Product other = exchanged(natural);
  const Product& p = cost(other) < cost(natural) ? other : natural;
  const std::size_t blocks = rounded_up(p.depth, block_depth);
  for (std::size_t block = 0, first = 0; block < blocks; ++block) {
    const std::size_t depth = (p.depth - first) / (blocks - block);
    depth_product(p, first, depth, scratch);
    first += depth;
  }
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
  static thread_local Scratch scratch;
  HWY_DYNAMIC_DISPATCH(product)
  ({.rows = m,
    .columns = n,
    .depth = k,
    .alpha = alpha,
    .beta = beta,
    .a = a,
    .a_stride = transpose_a ? m : k,
    .a_across = transpose_a,
    .b = b,
    .b_stride = transpose_b ? k : n,
    .b_across = !transpose_b,
    .c = c,
    .c_stride = n,
    .c_across = false},
   scratch);
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
