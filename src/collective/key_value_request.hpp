// The tag of a message to a server of keys and values: a bit that says whether its keys are listed,
// two bits of kind, one that says whether it ends the client's step, and two numbers of 30 bits,
// the first key within the shard and how many; of a list of keys, in place of the first one whether
// they come along, and how many others are asked for. An answer's tag is the request's number among
// those of that client to that server, which both count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trainyard::key_value {

enum class Kind : std::uint64_t { add, assign, pull, clock };

inline constexpr unsigned number_bits = 30;
inline constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;

struct Request {
  Kind kind = Kind::clock;
  bool ends_step = false;  // the clock advances, and the whole shard is pulled
  bool listed = false;
  std::size_t first = 0, count = 0;

  /// The number for a list of keys, in place of `first`: whether they come along, and how many
  /// others are asked for; nothing: the whole shard is.
  static std::size_t list(bool comes_along, std::optional<std::size_t> asked) {
    return (comes_along ? 1U : 0U) | (asked ? 2U | *asked << 2 : 0U);
  }
  bool comes_along() const { return (first & 1U) != 0; }
  std::optional<std::size_t> asked() const {
    return (first & 2U) != 0 ? std::optional(first >> 2) : std::nullopt;
  }

  bool same_range(const Request& other) const {
    return first == other.first && count == other.count;
  }
  std::uint64_t tag() const {
    return static_cast<std::uint64_t>(listed) << (2 * number_bits + 3) |
           static_cast<std::uint64_t>(kind) << (2 * number_bits + 1) |
           static_cast<std::uint64_t>(ends_step) << (2 * number_bits) |
           static_cast<std::uint64_t>(first) << number_bits | static_cast<std::uint64_t>(count);
  }
  static Request from_tag(std::uint64_t tag) {
    return {.kind = static_cast<Kind>(tag >> (2 * number_bits + 1) & 3U),
            .ends_step = (tag >> (2 * number_bits) & 1U) != 0,
            .listed = tag >> (2 * number_bits + 3) != 0,
            .first = static_cast<std::size_t>(tag >> number_bits & number_mask),
            .count = static_cast<std::size_t>(tag & number_mask)};
  }
};

}  // namespace trainyard::key_value
