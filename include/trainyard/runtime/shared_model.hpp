// The one model that several ranks may write at once (Hogwild; Niu et al. 2011), and the only
// memory in Trainyard for which that holds.
#pragma once

#include <span>

#include "trainyard/base/aligned_buffer.hpp"

namespace trainyard {

/// Access mode: relaxed atomic. Each float is loaded and stored whole, nothing is locked, and of
/// two writes to the same coordinate at the same time one may be lost. Relaxed is enough because no
/// other memory is published through the model. (Plain racing floats would be undefined behaviour.)
class SharedModel {
 public:
  explicit SharedModel(std::span<const float> initial)
      : values_(AlignedBuffer<float>::copy_of(initial)) {}

  /// For Model::SparseUpdate, which reads and writes coordinates as relaxed atomics itself.
  std::span<float> coordinates() { return values_.span(); }

  /// A copy, coordinate by coordinate; others may write meanwhile.
  void read(std::span<float> copy) const;

  /// values ← values − step_size · gradient, coordinate by coordinate, and a copy of what was
  /// written: the next step's read. Two passes would fetch every line from the other cores twice.
  /// With one writer the bits are those of kernels::axpy, so that one Hogwild worker is serial SGD.
  void descend(float step_size, std::span<const float> gradient, std::span<float> copy);

 private:
  AlignedBuffer<float> values_;
};

}  // namespace trainyard
