#include "model/sparse_descent.hpp"

#include <algorithm>
#include <type_traits>

#include "trainyard/model/kernels.hpp"

namespace trainyard {
namespace {

template <typename Visit>
void for_each_row(Batch batch, const Visit& visit) {
  for (const RowRange& range : batch) {
    for (std::size_t r = 0; r < range.count; ++r) visit(range.data->sparse_row(range.first + r));
  }
}

/// visit(width), of a few widths as types that the compiler knows: copies of one number or two are
/// then moves and not calls, 1 ns instead of 5.
template <typename Visit>
void with_width(std::size_t width, const Visit& visit) {
  if (width == 1) return visit(std::integral_constant<std::size_t, 1>{});
  if (width == 2) return visit(std::integral_constant<std::size_t, 2>{});
  if (width == 3) return visit(std::integral_constant<std::size_t, 3>{});
  visit(width);
}

template <typename Width>
void clear_row(const Dataset::SparseRow& row, Width width, float* gradient) {
  for (const std::uint32_t column : row.columns) {
    std::fill_n(gradient + column * width, width, 0.0F);
  }
}

/// One row's numbers side by side, and the gradient's cleared where they stood.
template <typename Width>
void take_row(const Dataset::SparseRow& row, Width width, float* gradient, const float* parameters,
              float* along, float* weights) {
  for (const std::uint32_t column : row.columns) {
    const std::size_t first = column * width;
    for (std::size_t c = 0; c < width; ++c) {
      *along++ = gradient[first + c];
      gradient[first + c] = 0.0F;
      *weights++ = parameters[first + c];
    }
  }
}

template <typename Width>
void put_row(const Dataset::SparseRow& row, Width width, const float* weights, float* parameters) {
  for (const std::uint32_t column : row.columns) {
    std::copy_n(weights, width, parameters + column * width);
    weights += width;
  }
}

}  // namespace

bool touches_few(Batch batch, std::size_t features) {
  if (!is_sparse(batch)) return false;
  std::size_t nonzeros = 0;
  for (const RowRange& range : batch) {
    const AlignedBuffer<std::uint64_t>& begin = range.data->row_begin;
    nonzeros += begin[range.first + range.count] - begin[range.first];
  }
  return nonzeros * 32 < features;
}

void clear_touched(Batch batch, std::size_t width, std::span<float> gradient) {
  with_width(width, [&](auto known) {
    for_each_row(batch,
                 [&](const Dataset::SparseRow& row) { clear_row(row, known, gradient.data()); });
  });
}

// A feature of several rows is taken with the first of them: its gradient is zero for the others.
void descend_touched(Batch batch, std::size_t width, double step_size, std::span<float> gradient,
                     std::span<float> parameters, Workspace& workspace, std::size_t scratch) {
  with_width(width, [&](auto known) {
    for_each_row(batch, [&](const Dataset::SparseRow& row) {
      const std::size_t size = row.columns.size() * known;
      const std::span<float> both = workspace.floats(scratch, 2 * size);
      const std::span<float> along = both.first(size), weights = both.subspan(size);
      take_row(row, known, gradient.data(), parameters.data(), along.data(), weights.data());
      kernels::axpy(-step_size, along, weights);
      put_row(row, known, weights.data(), parameters.data());
    });
  });
}

}  // namespace trainyard
