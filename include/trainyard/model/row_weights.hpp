// The weights of rows (Dataset::weights), wherever a loss is differentiated.
//
// Threads: any; what is written belongs to the caller.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/data/batch.hpp"

namespace trainyard {

/// numbers[r × columns + c] ← ω · itself, ω being the weight of the batch's row r. Rows without
/// weights cost a look a range. REQUIRES: as many numbers as the batch's rows have.
inline void weigh_rows(Batch batch, std::size_t columns, std::span<float> numbers) {
  float* next = numbers.data();
  for (const RowRange& range : batch) {
    if (range.data->weights.empty()) {
      next += range.count * columns;
      continue;
    }
    for (std::size_t r = 0; r < range.count; ++r) {
      const float weight = range.data->weights[range.first + r];
      for (std::size_t c = 0; c < columns; ++c) *next++ *= weight;
    }
  }
}

}  // namespace trainyard
