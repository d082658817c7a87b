#include "trainyard/runtime/optimizer.hpp"

#include "trainyard/model/kernels.hpp"

namespace trainyard {

Optimizer::Optimizer(const OptimizerOptions& options, std::size_t dimension) : options_(options) {
  if (options.momentum > 0.0) velocity_ = AlignedBuffer<float>::zeroed(dimension);
}

void Optimizer::apply(std::span<float> model, std::span<const float> gradient, double epochs) {
  const auto step = static_cast<float>(options_.step_size(epochs));
  if (velocity_.empty()) {
    kernels::axpy(-step, gradient, model);
    return;
  }
  kernels::momentum_step(static_cast<float>(options_.momentum), step, gradient, velocity_.span(),
                         model);
}

}  // namespace trainyard
