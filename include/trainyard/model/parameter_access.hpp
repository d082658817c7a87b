// How a sparse step sees the parameters of a shared model: load(i), subtract(i, change), which
// makes w_i w_i − change(w_i), and replace(i, next), which makes it next(w_i). One type for each
// kind of memory; steps are compiled for each of them, so that a number costs no call.
//
// Threads: any number at once, each with a view of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trainyard/model/fixed_point.hpp"
#include "trainyard/model/shared_access.hpp"

namespace trainyard {

struct ReadFloats {
  const float* values;

  float load(std::size_t i) const { return load_relaxed(values[i]); }
};

/// By load and store: what others store in between is lost.
struct LoadAndStore {
  float* values;

  float load(std::size_t i) const { return load_relaxed(values[i]); }
  void store(std::size_t i, float value) const { store_relaxed(values[i], value); }

  template <typename Change>
  void subtract(std::size_t i, const Change& change) const {
    const float old = load(i);
    store(i, old - change(old));
  }
  template <typename Next>
  void replace(std::size_t i, const Next& next) const {
    store(i, next(load(i)));
  }
};

/// By compare-and-swap, tried until nobody came in between: nothing is lost.
struct CompareAndSwap {
  float* values;

  template <typename Change>
  void subtract(std::size_t i, const Change& change) const {
    replace(i, [&](float old) { return old - change(old); });
  }
  template <typename Next>
  void replace(std::size_t i, const Next& next) const {
    const std::atomic_ref<float> shared(values[i]);
    // relaxed: nothing is published; what makes the sum right is that the exchange is one
    // operation.
    float old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, next(old), std::memory_order_relaxed,
                                         std::memory_order_relaxed)) {
    }
  }
};

/// Whole numbers of a unit. `Number` is int8_t or int16_t.
template <typename Number>
class ReadNumbers {
 public:
  explicit ReadNumbers(FixedPointMemory memory)
      : numbers_(reinterpret_cast<Number*>(memory.numbers)), unit_(memory.format.unit) {}

  float load(std::size_t i) const {
    // relaxed: each number stands for itself.
    return unit_ * std::atomic_ref<Number>(numbers_[i]).load(std::memory_order_relaxed);
  }

 protected:
  Number* numbers_;
  float unit_;
};

/// By load and store. It is the change that is rounded, at random, and not the sum: a sum of floats
/// has no bits left for a change a thousand times shorter than the unit.
template <typename Number>
class RoundedNumbers : public ReadNumbers<Number> {
 public:
  RoundedNumbers(FixedPointMemory memory, XorShift& rounding)
      : ReadNumbers<Number>(memory), per_unit_(1.0F / memory.format.unit), rounding_(&rounding) {}

  template <typename Change>
  void subtract(std::size_t i, const Change& change) const {
    constexpr std::int32_t most = FixedPoint::largest_of(8 * sizeof(Number));
    const std::atomic_ref<Number> shared(this->numbers_[i]);
    // relaxed: each number stands for itself.
    const Number old = shared.load(std::memory_order_relaxed);
    const std::int32_t next = old - rounded(change(this->unit_ * old));
    shared.store(static_cast<Number>(std::clamp(next, -most, most)), std::memory_order_relaxed);
  }
  template <typename Next>
  void replace(std::size_t i, const Next& next) const {
    subtract(i, [&](float old) { return old - next(old); });
  }

 private:
  /// In units, of its magnitude the next whole number below or, at random, above.
  std::int32_t rounded(float change) const {
    constexpr float beyond = 0x1p17F;  // from one end of 16 bits to the other, and farther
    float place = std::abs(change) * per_unit_;
    place = place < beyond ? place : beyond;
    const auto below = static_cast<std::int32_t>(place);
    const bool up = rounding_->uniform() < place - static_cast<float>(below);
    const std::int32_t units = below + static_cast<std::int32_t>(up);
    return change < 0.0F ? -units : units;
  }

  float per_unit_;
  XorShift* rounding_;
};

/// visit(a Number of the format's bits), of either type.
template <typename Visit>
void with_number(FixedPoint format, const Visit& visit) {
  if (format.bits == 8) {
    visit(std::int8_t{});
  } else {
    visit(std::int16_t{});
  }
}

}  // namespace trainyard
