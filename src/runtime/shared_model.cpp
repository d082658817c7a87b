#include "trainyard/runtime/shared_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

float load(const float& value) {
  // relaxed: see the class comment. atomic_ref wants a mutable object, and a load does not write.
  return std::atomic_ref<float>(const_cast<float&>(value)).load(std::memory_order_relaxed);
}

void store(float& value, float changed) {
  std::atomic_ref<float>(value).store(changed, std::memory_order_relaxed);
}

}  // namespace

void SharedModel::read(std::span<float> copy) const {
  require(copy.size() == values_.size(), "a copy of the shared model has its size");
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = load(values_[i]);
}

void SharedModel::descend(float step_size, std::span<const float> gradient) {
  require(gradient.size() == values_.size(), "a gradient has the model's size");
  // Four cache lines at a time go through a private copy, so that the arithmetic is the vector
  // kernel's and the window in which another's write can be lost stays about 20 ns.
  std::array<float, 64> block;
  for (std::size_t first = 0; first < values_.size(); first += block.size()) {
    const std::size_t count = std::min(block.size(), values_.size() - first);
    for (std::size_t i = 0; i < count; ++i) block[i] = load(values_[first + i]);
    kernels::axpy(-step_size, gradient.subspan(first, count), std::span(block).first(count));
    for (std::size_t i = 0; i < count; ++i) store(values_[first + i], block[i]);
  }
}

}  // namespace trainyard
