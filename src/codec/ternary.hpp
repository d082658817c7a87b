// Numbers of three values, −1, 0 and 1, in two bits each: 0, 1 and 2; 3 is none.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/wire.hpp"

namespace trainyard {

/// Writes trit(i), from −1 to 1, for each i below `count`.
template <typename Trit>
void write_trits(std::byte* to, std::size_t count, const Trit& trit) {
  const auto byte_from = [&](std::size_t first, std::size_t trits) {
    int byte = 0;
    for (std::size_t j = 0; j < trits; ++j) byte |= (trit(first + j) + 1) << (2 * j);
    return static_cast<std::byte>(byte);
  };
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) *to++ = byte_from(i, 4);
  if (i < count) *to = byte_from(i, count - i);
}

/// sum_i ← sum_i + unit · trit_i. REQUIRES: `wire` has the bytes of so many.
template <typename T>
void add_trits(T unit, std::span<const std::byte> wire, std::span<T> sum) {
  wire::expect_zeros_from(wire, 2 * sum.size());
  const std::array<T, 4> values{-unit, T{0}, unit, T{0}};
  unsigned wrong = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const unsigned code = static_cast<unsigned>(wire[i / 4]) >> (2 * (i % 4)) & 3U;
    wrong |= code & (code >> 1);
    sum[i] += values[code];
  }
  if (wrong != 0) throw MalformedMessage("an encoded vector has a 3 where 0, 1 and 2 belong");
}

}  // namespace trainyard
