// The random numbers of stochastic rounding: one for each place of a vector, u_i uniform in [0, 1).
// |x| rounded to ⌊|x|⌋, or to the next whole number where u is less than the rest, is |x| on
// average.
//
// A vector of a million numbers needs a million of them, and a generator that goes from one to the
// next, or Philox with its ten rounds, takes longer than all the rest of a codec. So u_i is a hash
// of i and of a key that is drawn once a vector: two multiplications and three shifts of 32 bits
// (the constants are C. Wellons' lowbias32, 2018: every bit of i changes each bit of the result
// with probability 0.5 ± 0.001), in any order, in as many lanes as the processor has.
//
// Threads: a value like any other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainyard/base/random.hpp"

namespace trainyard {

class Dither {
 public:
  explicit Dither(RandomStream& random) : add_(random.next_u32()), flip_(random.next_u32()) {}
  explicit Dither(std::uint64_t key)
      : add_(static_cast<std::uint32_t>(key)), flip_(static_cast<std::uint32_t>(key >> 32)) {}

  /// 32 random bits. Places 2^32 apart have the same.
  std::uint32_t bits(std::size_t place) const {
    std::uint32_t h = static_cast<std::uint32_t>(place) + add_;
    h ^= h >> 16;
    h *= 0x7feb352dU;
    h ^= (h >> 15) ^ flip_;
    h *= 0x846ca68bU;
    return h ^ (h >> 16);
  }
  /// Of 24 bits for float, so that it stays below 1, and of 32 for double.
  template <typename T>
  T uniform(std::size_t place) const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return static_cast<float>(bits(place) >> 8) * 0x1p-24F;
    } else {
      return static_cast<double>(bits(place)) * 0x1p-32;
    }
  }

 private:
  std::uint32_t add_, flip_;
};

}  // namespace trainyard
