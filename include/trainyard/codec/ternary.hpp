// Numbers of three values, −1, 0 and 1, in two bits each: 0, 1 and 2; 3 is none.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/wire.hpp"

namespace trainyard {

/// sum_i ← sum_i + unit · trit_i. REQUIRES: `wire` has the bytes of so many.
template <typename T>
void add_trits(T unit, std::span<const std::byte> wire, std::span<T> sum) {
  wire::expect_zeros_from(wire, 2 * sum.size());
  if (codec_loops<T>().add_trits(unit, wire.data(), sum)) return;
  throw MalformedMessage("an encoded vector has a 3 where 0, 1 and 2 belong");
}

}  // namespace trainyard
