// A place in a text.
#pragma once

#include <compare>
#include <cstddef>

namespace trainyard {

struct TextPosition {
  std::size_t line = 0;    // from 1; for IDX, the row
  std::size_t column = 0;  // from 1; for IDX, 0

  friend auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

}  // namespace trainyard
