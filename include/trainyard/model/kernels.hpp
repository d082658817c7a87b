// The arithmetic loops everything else is built from, in one place, each dispatched at run time to the best
// instruction set of the machine (Highway). Spans of one call have equal lengths and do not overlap
// unless they are the same span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trainyard::kernels {

/// Σ a_i b_i
float dot(std::span<const float> a, std::span<const float> b);
/// y ← y + a x
void axpy(float a, std::span<const float> x, std::span<float> y);
/// y ← y + x
void add(std::span<const float> x, std::span<float> y);
/// x ← a x
void scale(float a, std::span<float> x);
/// y ← a x
void scaled_copy(float a, std::span<const float> x, std::span<float> y);

/// C ← alpha · op(A) · op(B) + beta · C, row-major, op(A) is m×k, op(B) is k×n, C is m×n with tight
/// rows. The one matrix product of the program; single-threaded.
void matrix_product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
                    float alpha, const float* a, const float* b, float beta, float* c);

}  // namespace trainyard::kernels
