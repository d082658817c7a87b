// Vectors of which a few numbers are left: n numbers of the vector's precision, in the order of
// their places, then the n places, from 0 on, in ⌈log2 d⌉ bits each.
//
// Threads: any; each call has its own bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/magnitude.hpp"

namespace trainyard {

/// Bytes of `count` of d numbers.
inline std::size_t sparse_bytes(Scalar scalar, std::size_t count, std::size_t d) {
  require(d < std::size_t{1} << 32, "places are counted in 32 bits");
  return count * bytes_of(scalar) + wire::bytes_of_bits(count * wire::bits_for(d));
}

/// Writes those that the cut leaves, which are `count`.
template <typename T>
void write_kept(std::span<const T> x, Cut<T> cut, std::size_t count, std::span<std::byte> wire) {
  const unsigned bits = wire::bits_for(x.size());
  wire::BitWriter places(wire.data() + count * sizeof(T));
  std::size_t offset = 0;
  visit_kept(x, cut, [&](std::size_t i) {
    wire::store(wire, offset, x[i]);
    offset += sizeof(T);
    places.put(i, bits);
  });
  places.finish();
}

/// Adds `count` numbers to the places where they belong. REQUIRES: `wire` has their bytes.
template <typename T>
void add_kept(double scale, std::span<const std::byte> wire, std::size_t count, std::span<T> sum) {
  const T factor = static_cast<T>(scale);
  const unsigned bits = wire::bits_for(sum.size());
  wire::BitReader places(wire.subspan(count * sizeof(T)));
  std::size_t next = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const T value = wire::load<T>(wire, j * sizeof(T));
    wire::expect_number(value, std::numeric_limits<T>::lowest());
    const std::size_t place = places.take(bits);
    if (place < next || place >= sum.size()) {
      throw MalformedMessage(fmt::format("an encoded vector of {} has a place {} after {} others",
                                         sum.size(), place, j));
    }
    sum[place] += factor * value;
    next = place + 1;
  }
  places.expect_end();
}

/// Likewise, with their count before them in 32 bits. Returns the number of bytes.
template <typename T>
std::size_t write_counted(std::span<const T> x, Cut<T> cut, std::size_t count,
                          std::span<std::byte> wire) {
  const auto head = sizeof(std::uint32_t);
  wire::store(wire, 0, static_cast<std::uint32_t>(count));
  write_kept(x, cut, count, wire.subspan(head));
  return head + sparse_bytes(scalar_of<T>, count, x.size());
}

/// Adds up to `most` numbers.
template <typename T>
void add_counted(double scale, std::span<const std::byte> wire, std::size_t most,
                 std::span<T> sum) {
  const auto head = sizeof(std::uint32_t);
  wire::expect_at_least(wire, head);
  const std::size_t count = wire::load<std::uint32_t>(wire, 0);
  if (count > most) {
    throw MalformedMessage(
        fmt::format("an encoded vector has {} numbers, and {} at most", count, most));
  }
  wire::expect_size(wire, head + sparse_bytes(scalar_of<T>, count, sum.size()));
  add_kept(scale, wire.subspan(head), count, sum);
}

}  // namespace trainyard
