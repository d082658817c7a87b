// What every model needs of a batch's rows.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// REQUIRES: the batch is not empty.
inline bool is_sparse(Batch batch) {
  return batch.front().data->sparse;
}

/// The rows of a dense range, where they lie.
inline std::span<const float> dense_rows(const RowRange& range) {
  const std::size_t features = range.data->features;
  return {range.data->dense.data() + range.first * features, range.count * features};
}

inline std::span<const Label> labels_of(const RowRange& range) {
  return {range.data->labels.data() + range.first, range.count};
}

/// (λ/2)‖weights‖², summed in double.
double squared_penalty(double l2, std::span<const float> weights);

// Cross-entropy. `scores` holds one row of class scores for each row of the batch.

/// scores ← their gradients of the mean loss over the batch.
void scores_to_residuals(Batch batch, std::size_t classes, std::span<float> scores);

/// Adds loss and hits of the range's rows. `scores` may hold more rows.
void tally_scores(const RowRange& range, std::size_t classes, std::span<const float> scores,
                  Tally& tally);

}  // namespace trainyard
