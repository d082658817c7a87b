// Memory in whole cache lines, so that what one core writes does not share a line with what another
// one reads.
//
// Threads: any; these are constants and functions of their arguments.
#pragma once

#include <cstddef>

namespace trainyard {

/// In bytes, on every processor that we know.
inline constexpr std::size_t cache_line = 64;

/// The bytes of as many lines as it takes.
constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace trainyard
