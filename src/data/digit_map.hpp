// Which characters of a text are digits, a bit each, found 16 to 64 characters at a time. A parser
// that asks it for the ends of numbers need not look at one digit after the other, nor guess how
// many there are: in data the lengths of numbers and their signs are as good as random, and a wrong
// guess costs a processor as much as ten digits. (The index of structural characters of simdjson:
// Langdale & Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 28, 2019.)
//
// Threads: one at a time for one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trainyard/base/unfilled.hpp"

namespace trainyard {

class DigitMap {
 public:
  /// So many characters are known at every place at least.
  static constexpr int reach = 56;

  /// Maps this text, which has to stay where it is.
  void read(std::string_view text);

  /// Bit i: the character i behind `place` is no digit. Bits from `reach` on mean nothing, but the
  /// last is always set. REQUIRES: `place` lies in the text, or at its end.
  std::uint64_t from(const char* place) const {
    const auto offset = static_cast<std::size_t>(place - begin_);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bits_.data() + offset / 8, sizeof bits);
    return bits >> offset % 8 | std::uint64_t{1} << 63U;
  }

 private:
  const char* begin_ = nullptr;
  UnfilledVector<std::uint8_t> bits_;  // whole words of 64; behind the text all are set
};

}  // namespace trainyard
