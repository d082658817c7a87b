// A vector cut into contiguous parts: chunks of a ring, shards of a parameter server.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// The first element of part `index` of `parts`: ⌊index·size/parts⌋.
inline std::size_t even_cut(std::size_t size, int index, int parts) {
  return size * static_cast<std::size_t>(index) / static_cast<std::size_t>(parts);
}

/// The size of the largest of `parts` parts: all of the same round wait for it.
inline std::size_t largest_part(std::size_t size, int parts) {
  const auto count = static_cast<std::size_t>(parts);
  return (size + count - 1) / count;
}

/// Part `index` of `parts`: elements [index·d/parts, (index+1)·d/parts). Sizes differ by at most
/// one; with fewer elements than parts some are empty.
template <typename View>
View even_split(View vector, int index, int parts) {
  const std::size_t begin = even_cut(vector.size(), index, parts);
  return vector.subspan(begin, even_cut(vector.size(), index + 1, parts) - begin);
}

}  // namespace trainyard
