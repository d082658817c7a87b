// Parameters in 8 or 16 bits: whole numbers of a unit, w = q · unit, q from −(2^{b−1} − 1) to
// 2^{b−1} − 1 (Buckwild!, De Sa, Zhang, Olukotun & Ré, NIPS 2015, §4; catalogue §2.16). What is
// written is rounded at random to one of the two numbers around it, so that it is itself on
// average (but that the chance of a step below 2^-24 of a unit is rounded up to that); the nearest
// one would leave w where it is as soon as steps are shorter than half a unit. What lies beyond the
// largest number becomes that.
//
// Threads: a format is a value; memory in it may be read and written by any number of threads, each
// number whole (model/parameter_access.hpp); a generator belongs to its thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {

struct FixedPoint {
  int bits;    // 8 or 16
  float unit;  // > 0

  /// Whose largest number is `range`.
  static FixedPoint of_range(int bits, double range) {
    return {bits, static_cast<float>(range / largest_of(bits))};
  }
  static constexpr int largest_of(int bits) { return (1 << (bits - 1)) - 1; }
  std::size_t bytes() const { return static_cast<std::size_t>(bits) / 8; }
};

/// A model in that format.
struct FixedPointMemory {
  FixedPoint format;
  std::byte* numbers;  // format.bytes() for each parameter, aligned to so many
};

/// Marsaglia's xorshift32 (2003): random bits for rounding, in three shifts; one each a thread.
class XorShift {
 public:
  explicit XorShift(std::uint32_t seed) : state_(seed | 1U) {}  // 0 would stay 0

  /// Uniform in [0, 1), of 24 bits.
  float uniform() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 8)) * 0x1p-24F;
  }

 private:
  std::uint32_t state_;
};

}  // namespace trainyard
