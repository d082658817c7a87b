// How a gradient changes a model: x ← x − γ v with v ← μ v + g (momentum μ; plain SGD for μ = 0)
// and γ = γ₀ / (1 + A · epochs so far).
#pragma once

#include <cstddef>

#include "trainyard/base/vector.hpp"

namespace trainyard {

struct OptimizerOptions {
  double lr = 0.1;        // γ₀ > 0
  double lr_decay = 0.0;  // A ≥ 0, per epoch
  double momentum = 0.0;  // 0 ≤ μ < 1

  double step_size(double epochs) const { return lr / (1.0 + lr_decay * epochs); }
};

/// The optimizer of one model, or of one shard of it. Threads: used by its rank alone.
class Optimizer {
 public:
  Optimizer(const OptimizerOptions& options, Scalar scalar, std::size_t dimension);

  /// A step that is `scale` times as long as γ says. REQUIRES: model and gradient are of that
  /// precision and dimension.
  void apply(Vector model, ConstVector gradient, double epochs, double scale = 1.0);

 private:
  OptimizerOptions options_;
  VectorBuffer velocity_;  // empty without momentum
};

}  // namespace trainyard
