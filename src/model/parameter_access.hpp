// How a sparse step sees the parameters of a shared model: load(i), and update(i, next), which
// makes w_i next(w_i). One type for each kind of memory; steps are compiled for each of them, so
// that a number costs no call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trainyard/model/fixed_point.hpp"

#include "model/shared_access.hpp"

namespace trainyard {

struct ReadFloats {
  const float* values;

  float load(std::size_t i) const { return load_relaxed(values[i]); }
};

/// By load and store: what others store in between is lost.
struct LoadAndStore {
  float* values;

  template <typename Next>
  void update(std::size_t i, const Next& next) const {
    store_relaxed(values[i], next(load_relaxed(values[i])));
  }
};

/// By compare-and-swap, tried until nobody came in between: nothing is lost.
struct CompareAndSwap {
  float* values;

  template <typename Next>
  void update(std::size_t i, const Next& next) const {
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

/// By load and store, rounded at random.
template <typename Number>
class RoundedNumbers : public ReadNumbers<Number> {
 public:
  RoundedNumbers(FixedPointMemory memory, XorShift& rounding)
      : ReadNumbers<Number>(memory), rounding_(&rounding) {}

  void store(std::size_t i, float value) const {
    // relaxed: each number stands for itself.
    std::atomic_ref<Number>(this->numbers_[i]).store(rounded(value), std::memory_order_relaxed);
  }
  template <typename Next>
  void update(std::size_t i, const Next& next) const {
    store(i, next(this->load(i)));
  }

 private:
  Number rounded(float value) const {
    constexpr auto most = static_cast<float>(FixedPoint::largest_of(8 * sizeof(Number)));
    float place = value / this->unit_;
    // So written that what is no number becomes the smallest, too, and not an undefined cast.
    place = place > -most ? place : -most;
    place = place < most ? place : most;
    auto below = static_cast<std::int32_t>(place);
    below -= static_cast<std::int32_t>(place < static_cast<float>(below));
    const bool up = rounding_->uniform() < place - static_cast<float>(below);
    return static_cast<Number>(below + static_cast<std::int32_t>(up));
  }

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
