// A place in a text.
#pragma once

#include <cstddef>

namespace trainyard {

struct TextPosition {
  std::size_t line = 0;    // from 1; for IDX, the row
  std::size_t column = 0;  // from 1; for IDX, 0

  friend bool operator<(const TextPosition& a, const TextPosition& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  }
};

}  // namespace trainyard
