#include "trainyard/runtime/shared_model.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void SharedModel::read(std::span<float> copy) const {
  require(copy.size() == values_.size(), "a copy of the shared model has its size");
  kernels::copy_shared(values_.span(), copy);
}

void SharedModel::descend(float step_size, std::span<const float> gradient, std::span<float> copy) {
  require(gradient.size() == values_.size(), "a gradient has the model's size");
  kernels::axpy_shared(-step_size, gradient, values_.span(), copy);
}

}  // namespace trainyard
