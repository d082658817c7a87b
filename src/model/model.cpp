#include "trainyard/model/model.hpp"

#include "trainyard/model/kernels.hpp"

namespace trainyard {
namespace {

std::span<float> grown(AlignedBuffer<float>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer = AlignedBuffer<float>(size);
  return {buffer.data(), size};
}

}  // namespace

std::span<float> Workspace::floats(std::size_t slot, std::size_t size) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  return grown(slots_[slot], size);
}

std::span<float> Workspace::gradient(std::size_t size) {
  return grown(gradient_, size);
}

void Model::descend(std::span<float> parameters, Batch batch, float step_size,
                    Workspace& workspace) const {
  const std::span<float> sum = workspace.gradient(parameters.size());
  gradient(parameters, batch, sum, workspace);
  kernels::axpy(-step_size, sum, parameters);
}

}  // namespace trainyard
