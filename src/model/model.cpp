#include "trainyard/model/model.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {
std::span<float> Workspace::floats(std::size_t slot, std::size_t size) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  AlignedBuffer<float>& buffer = slots_[slot];
  if (buffer.size() < size) buffer = AlignedBuffer<float>(size);
  return {buffer.data(), size};
}

Vector Workspace::gradient(Scalar scalar, std::size_t size) {
  if (gradient_.size() < size || gradient_.scalar() != scalar) {
    gradient_ = VectorBuffer(scalar, size);
  }
  return gradient_.view().first(size);
}

void Model::descend(Vector parameters, Batch batch, double step_size, Workspace& workspace) const {
  const Vector sum = workspace.gradient(scalar(), parameters.size());
  gradient(parameters, batch, sum, workspace);
  kernels::axpy(-step_size, sum, parameters);
}

void Model::scores(ConstVector /*parameters*/, Batch /*batch*/, std::span<float> /*scores*/,
                   Workspace& /*workspace*/) const {
  require(false, "scores of a model that predicts nothing");
}

}  // namespace trainyard
