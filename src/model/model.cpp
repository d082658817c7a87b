#include "trainyard/model/model.hpp"

namespace trainyard {

std::span<float> Workspace::floats(std::size_t slot, std::size_t size) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  AlignedBuffer<float>& buffer = slots_[slot];
  if (buffer.size() < size) buffer = AlignedBuffer<float>(size);
  return {buffer.data(), size};
}

}  // namespace trainyard
