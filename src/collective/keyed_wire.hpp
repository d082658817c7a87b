// How what goes by keys is laid out (working_set.hpp), for both ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/collective/working_set.hpp"

namespace trainyard::keyed {

/// The first 32 bits of a push.
struct Header {
  bool whole_values = false;  // of all of the shard
  bool lists = false;         // the keys of the values, as many as `listed`
  bool asks_whole = false;    // for all of the shard
  bool asks_listed = false;   // for the keys that end the message; neither: for those as before
  std::uint32_t listed = 0;   // < 2^28

  std::uint32_t bits() const {
    return listed | (whole_values ? 1U << 31 : 0) | (lists ? 1U << 30 : 0) |
           (asks_whole ? 1U << 29 : 0) | (asks_listed ? 1U << 28 : 0);
  }
  static Header from_bits(std::uint32_t bits) {
    return {(bits >> 31 & 1) != 0, (bits >> 30 & 1) != 0, (bits >> 29 & 1) != 0,
            (bits >> 28 & 1) != 0, bits & ((1U << 28) - 1)};
  }
};

/// Calls visit(place in the shard, count) for what each of the keys has there.
template <typename Visit>
void for_each_piece(const KeyedShard& shard, std::span<const std::uint32_t> own,
                    const Visit& visit) {
  const std::size_t end = shard.first + shard.count;
  for (const std::uint32_t key : own) {
    const std::size_t from = std::max(key * shard.width, shard.first);
    const std::size_t to = std::min((key + 1) * shard.width, end);
    visit(from - shard.first, to - from);
  }
}

/// Writes them, and returns where they end.
inline std::byte* put(std::byte* at, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

/// As put(), for the keys' values. `part` is of the shard's size.
inline std::byte* put_values_of(const KeyedShard& shard, std::span<const std::uint32_t> own,
                                ConstVector part, std::byte* at) {
  const std::span<const float> values = part.floats();
  for_each_piece(shard, own, [&](std::size_t place, std::size_t count) {
    at = put(at, std::as_bytes(values.subspan(place, count)));
  });
  return at;
}

/// The other way round.
inline void take_values(std::span<const std::byte> wire, const KeyedShard& shard,
                        std::span<const std::uint32_t> own, Vector part) {
  const std::span<float> values = part.floats();
  const std::byte* next = wire.data();
  for_each_piece(shard, own, [&](std::size_t place, std::size_t count) {
    std::memcpy(values.data() + place, next, count * sizeof(float));
    next += count * sizeof(float);
  });
}

}  // namespace trainyard::keyed
