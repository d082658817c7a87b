// Compiled without fused products and sums (CMakeLists.txt): compare-and-swaps, which change one
// number at a time, give the same bits.
#include "model/sparse_kernels.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/sparse_kernels.cpp"
#include <hwy/foreach_target.h>
#include "model/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

// Nonzeros inside, so that the residual and the mask of the last vector stay in registers.
template <bool Regularised>
HWY_INLINE HWY_ATTR void subtract_outer(const SparseRowStep& by, const float* residual,
                                        std::size_t row_size, float* matrix) {
  const std::uint32_t* const columns = by.columns.data();
  const float* const values = by.values.data();
  const float* const pulls = by.pulls.data();
  const std::size_t nonzeros = by.columns.size();
  const float step_size = by.step_size, pull_scale = by.pull_scale;
  for_vectors(0, row_size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector residuals = access.load(residual + at);
    for (std::size_t i = 0; i < nonzeros; ++i) {
      float* const to = matrix + columns[i] * row_size + at;
      const Vector old = access.load(to);
      Vector change = hn::Mul(hn::Set(lanes, step_size * values[i]), residuals);
      if constexpr (Regularised) {
        const float pull = std::min(pull_scale * pulls[columns[i]], 1.0F);
        change = hn::Add(change, hn::Mul(hn::Set(lanes, pull), old));
      }
      access.store(hn::Sub(old, change), to);
    }
  });
}

void subtract_sparse_outer(const SparseRowStep& by, const float* residual, std::size_t row_size,
                           float* matrix) {
  if (by.pulls.empty()) {
    subtract_outer<false>(by, residual, row_size, matrix);
  } else {
    subtract_outer<true>(by, residual, row_size, matrix);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {

namespace {
HWY_EXPORT(subtract_sparse_outer);
}  // namespace

void subtract_sparse_outer(const SparseRowStep& by, std::span<const float> residual,
                           float* matrix) {
  require(by.columns.size() == by.values.size(), "subtract_sparse_outer: lengths differ");
  HWY_DYNAMIC_DISPATCH(subtract_sparse_outer)(by, residual.data(), residual.size(), matrix);
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
