// A vector cut into contiguous parts: chunks of a ring, shards of a parameter server.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// Part `index` of `parts`: elements [index·d/parts, (index+1)·d/parts). Sizes differ by at most
/// one; with fewer elements than parts some are empty.
template <typename View>
View even_split(View vector, int index, int parts) {
  const auto cut = [&](int i) {
    return vector.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
  };
  return vector.subspan(cut(index), cut(index + 1) - cut(index));
}

}  // namespace trainyard
