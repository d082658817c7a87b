// Arrays of every length and alignment, with guards around them, for checks of kernels under every
// instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"

#include "model/instruction_sets.hpp"
#include "support/catch.hpp"

namespace trainyard::test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

inline constexpr std::size_t longest = 130;
inline constexpr float guard = 12345.0F;

/// `size` normal numbers that begin `offset` floats after an aligned address, guards around them.
class Guarded {
 public:
  Guarded(RandomStream& random, std::size_t size, std::size_t offset)
      : storage_(32 + offset + size, guard), values_(storage_.data() + 16 + offset, size) {
    for (float& value : values_) value = static_cast<float>(random.normal());
  }
  operator std::span<float>() { return values_; }
  operator Vector() { return values_; }
  operator ConstVector() const { return values_; }
  operator std::span<const float>() const { return values_; }
  std::span<float> span() { return values_; }
  Doubles doubles() const { return {values_.begin(), values_.end()}; }

  void check_equals(const Doubles& expected, double tolerance = 1e-6) const {
    REQUIRE(values_.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::abs(values_[i] - expected[i]) <= tolerance * (1.0 + std::abs(expected[i]))) continue;
      FAIL_CHECK("element " << i << " of " << expected.size() << ": " << values_[i] << ", expected "
                            << expected[i]);
    }
    const float* const end = values_.data() + values_.size();
    for (const float* at = storage_.data(); at != storage_.data() + storage_.size(); ++at) {
      if ((at < values_.data() || at >= end) && *at != guard) FAIL_CHECK("a guard is overwritten");
    }
  }

 private:
  Floats storage_;
  std::span<float> values_;
};

/// check(random, size, offset) for every length and a changing alignment, under every instruction
/// set.
template <typename Check>
void for_all_lengths(const Check& check) {
  with_each_instruction_set([&] {
    RandomStream random(1, Purpose::data_generator);
    for (std::size_t size = 0; size <= longest; ++size) {
      INFO("length " << size);
      for (const std::size_t offset : {std::size_t{0}, 1 + size % 15}) check(random, size, offset);
    }
  });
}

}  // namespace trainyard::test
