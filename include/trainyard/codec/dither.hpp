// The random numbers of stochastic rounding: one for each place of a vector, u_i uniform in [0, 1).
// |x| rounded to ⌊|x|⌋, or to the next whole number where u is less than the rest, is |x| on
// average.
//
// A vector of a million numbers needs a million of them, and a generator that goes from one to the
// next, or Philox with its ten rounds, takes longer than all the rest of a codec. So u_i is a hash
// of i and of a key that is drawn once a vector: two multiplications and two shifts of 32 bits, in
// any order, in as many lanes as the processor has. It is C. Wellons' lowbias32 (2018), in which
// every bit of i changes each bit of the result with probability 0.5 ± 0.001, but for its last
// shift, which mends only the lower half: take the upper bits.
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

  /// 32 random bits, the upper ones the better. Places 2^32 apart have the same.
  std::uint32_t bits(std::uint32_t place) const {
    std::uint32_t h = place + add_;
    h ^= h >> 16;
    h *= 0x7feb352dU;
    h ^= (h >> 15) ^ flip_;
    return h * 0x846ca68bU;
  }
  /// u · marks<T>, a whole number below marks<T>: of 24 bits for float, which holds no more, and
  /// of 32 for double.
  template <typename T>
  T mark(std::uint32_t place) const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return static_cast<float>(static_cast<std::int32_t>(bits(place) >> 8));
    } else {
      return static_cast<double>(bits(place));
    }
  }
  template <typename T>
  static constexpr T marks = sizeof(T) == sizeof(float) ? T(0x1p24) : T(0x1p32);

 private:
  std::uint32_t add_, flip_;
};

}  // namespace trainyard
