// Kernels of sparse steps on shared floats, by plain vector loads and stores: only where
// `shared_floats_take_vectors` (model/shared_access.hpp, which says why they are in a file of their
// own).
#pragma once

#include <cstdint>
#include <span>

namespace trainyard::kernels {

/// One sparse row's part of a step: its nonzeros, and how far to go.
struct SparseRowStep {
  std::span<const std::uint32_t> columns;  // all different
  std::span<const float> values;
  float step_size;
  std::span<const float> pulls;  // of each feature, model/sparse_update.hpp; empty: no regulariser
  float pull_scale;
};

/// For each nonzero (j, x) of the row and each c, with w = matrix[j, c] and the matrix's rows as
/// long as `residual`:
///   w ← w − ((step_size · x) · residual[c] + min(pull_scale · pulls[j], 1) · w)
/// each product and sum rounded, none fused: the bits of the same in scalars, under every
/// instruction set.
void subtract_sparse_outer(const SparseRowStep& by, std::span<const float> residual, float* matrix);

}  // namespace trainyard::kernels
