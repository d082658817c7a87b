#include "trainyard/runtime/optimizer.hpp"

#include "trainyard/model/kernels.hpp"

namespace trainyard {

Optimizer::Optimizer(const OptimizerOptions& options, Scalar scalar, std::size_t dimension)
    : options_(options) {
  if (options.momentum > 0.0) velocity_ = VectorBuffer::zeroed(scalar, dimension);
}

void Optimizer::apply(Vector model, ConstVector gradient, double epochs, double scale) {
  const double step = scale * options_.step_size(epochs);
  if (velocity_.empty()) {
    kernels::axpy(-step, gradient, model);
    return;
  }
  kernels::momentum_step(options_.momentum, step, gradient, velocity_.view(), model);
}

}  // namespace trainyard
