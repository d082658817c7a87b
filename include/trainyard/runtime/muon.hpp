// Muon's direction for a matrix (Jordan et al. 2024): its momentum with all singular values made
// about 1. Of M = USVᵀ that is UVᵀ, the steepest descent by the spectral norm; five steps of a
// Newton–Schulz iteration get near it without a decomposition:
//
//   X ← M / ‖M‖_F,  then five times  A = XXᵀ,  X ← a X + (b A + c A²) X,
//   (a, b, c) = (3.4445, −4.7750, 2.0315)
//
// The coefficients make small singular values grow as fast as they can, and leave them about 1
// rather than at it, which trains as well (Jordan's text): those above 1/500 of ‖M‖_F end between
// 0.68 and 1.21, smaller ones below. Arithmetic is in float, where the authors' is in bfloat16. A
// matrix of r×c takes 2·5·(2 s²l + s³) operations, s and l its shorter and longer side.
//
// Threads: one at a time.
#pragma once

#include <span>
#include <vector>

#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

class NewtonSchulz {
 public:
  /// Has room for matrices of all these shapes.
  explicit NewtonSchulz(TensorShapes shapes);

  /// matrix ← the above, row-major; where all of it is 0 it stays. REQUIRES: its shape is one of
  /// the constructor's.
  void orthogonalize(TensorShape shape, std::span<float> matrix);

 private:
  std::vector<float> square_, polynomial_, product_;
};

/// What makes an orthogonal r×c matrix's root mean square about that of Adam's steps, so that one γ
/// and one decay do for both: 0.2 √max(r, c) (Liu et al. 2025, §2.2; PyTorch's "match_rms_adamw").
double muon_scale(TensorShape shape);

}  // namespace trainyard
