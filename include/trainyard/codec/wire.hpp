// How codecs write and read numbers and bits, checked while reading.
//
// Threads: any; each call has its own bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/codec/codec.hpp"

namespace trainyard::wire {

static_assert(std::endian::native == std::endian::little, "numbers on the wire are little-endian");

constexpr std::size_t bytes_of_bits(std::size_t bits) {
  return (bits + 7) / 8;
}

/// ⌈log2 n⌉: bits that tell n values apart. REQUIRES: n ≥ 1.
constexpr unsigned bits_for(std::uint64_t n) {
  return static_cast<unsigned>(std::bit_width(n - 1));
}

template <typename T>
void store(std::span<std::byte> wire, std::size_t offset, T value) {
  std::memcpy(wire.data() + offset, &value, sizeof(T));
}

/// REQUIRES: it lies within `wire`.
template <typename T>
T load(std::span<const std::byte> wire, std::size_t offset) {
  T value;
  std::memcpy(&value, wire.data() + offset, sizeof(T));
  return value;
}

inline void expect_size(std::span<const std::byte> wire, std::size_t size) {
  if (wire.size() == size) return;
  throw MalformedMessage(
      fmt::format("an encoded vector has {} bytes; {} are expected", wire.size(), size));
}

inline void expect_at_least(std::span<const std::byte> wire, std::size_t size) {
  if (wire.size() >= size) return;
  throw MalformedMessage(
      fmt::format("an encoded vector has {} bytes; it begins with {}", wire.size(), size));
}

/// A number that encode() cannot have written as it is not finite, or is below `least`.
inline void expect_number(double value, double least) {
  if (std::isfinite(value) && value >= least) return;
  throw MalformedMessage(
      fmt::format("an encoded vector has {} where a number from {} on belongs", value, least));
}

inline unsigned bit_of(std::span<const std::byte> wire, std::size_t place) {
  return (static_cast<unsigned>(wire[place / 8]) >> (place % 8)) & 1U;
}

/// Throws MalformedMessage unless the bits from number `used` on are zeros.
/// REQUIRES: `wire` has bytes_of_bits(used).
inline void expect_zeros_from(std::span<const std::byte> wire, std::size_t used) {
  if (used % 8 == 0 || static_cast<unsigned>(wire.back()) >> (used % 8) == 0) return;
  throw MalformedMessage("the last byte of an encoded vector is not filled with zeros");
}

/// Writes fields of up to 33 bits, the first one into the lowest bits of the first byte.
class BitWriter {
 public:
  explicit BitWriter(std::byte* to) : to_(to) {}

  void put(std::uint64_t value, unsigned bits) {
    held_ |= value << count_;
    count_ += bits;
    while (count_ >= 32) {
      const auto word = static_cast<std::uint32_t>(held_);
      std::memcpy(to_, &word, sizeof(word));
      to_ += sizeof(word);
      held_ >>= 32;
      count_ -= 32;
    }
  }
  /// Fills the last byte with zeros. Returns what comes behind it.
  std::byte* finish() {
    for (; count_ > 0; count_ -= std::min(count_, 8U), held_ >>= 8) {
      *to_++ = static_cast<std::byte>(held_ & 0xFF);
    }
    return to_;
  }

 private:
  std::byte* to_;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;  // below 32 between calls
};

/// Reads them back. Past the end it throws MalformedMessage.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> from) : from_(from) {}

  std::uint64_t take(unsigned bits) {
    while (count_ < bits) refill();
    const std::uint64_t value = held_ & ((std::uint64_t{1} << bits) - 1);
    held_ >>= bits;
    count_ -= bits;
    return value;
  }
  /// How many zeros stand before the next one, which stays. Throws MalformedMessage where they are
  /// more than `most`.
  unsigned take_zeros(unsigned most) {
    unsigned zeros = 0;
    while (held_ == 0) {
      zeros += std::exchange(count_, 0);
      if (zeros > most) break;
      refill();
    }
    const auto last = held_ == 0 ? 0U : static_cast<unsigned>(std::countr_zero(held_));
    if (zeros + last > most) throw MalformedMessage("an encoded vector has a number too long");
    held_ >>= last;
    count_ -= last;
    return zeros + last;
  }
  /// Throws MalformedMessage unless there is nothing left but zeros in the last byte.
  void expect_end() const {
    if (next_ != from_.size() || count_ >= 8 || held_ != 0) {
      throw MalformedMessage("an encoded vector has more bytes than its numbers take");
    }
  }

 private:
  /// By four bytes, or by one near the end. REQUIRES: there is room for 32 bits.
  void refill() {
    if (from_.size() - next_ >= sizeof(std::uint32_t)) {
      held_ |= std::uint64_t{load<std::uint32_t>(from_, next_)} << count_;
      next_ += sizeof(std::uint32_t);
      count_ += 32;
      return;
    }
    if (next_ == from_.size()) throw MalformedMessage("an encoded vector ends early");
    held_ |= static_cast<std::uint64_t>(from_[next_++]) << count_;
    count_ += 8;
  }

  std::span<const std::byte> from_;
  std::size_t next_ = 0;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;  // of the bits in held_
};

}  // namespace trainyard::wire
