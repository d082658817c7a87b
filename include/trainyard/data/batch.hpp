// Which rows a gradient is taken over: a short list of runs of consecutive rows. A rank visits its
// share by blocks of rows that lie together, so a minibatch is usually one run; it is two or more
// at the end of a pass, and one row a run when rows are drawn with replacement.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

struct RowRange {
  const Dataset* data = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Rows in the order they are visited. All ranges have the same features, classes and storage.
using Batch = std::span<const RowRange>;

inline std::size_t row_count(Batch batch) {
  std::size_t rows = 0;
  for (const RowRange& range : batch) rows += range.count;
  return rows;
}

}  // namespace trainyard
