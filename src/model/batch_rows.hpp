// Functions on a batch's rows that every model needs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

/// Adds the range's rows and their weight.
inline void count_rows(const RowRange& range, Tally& tally) {
  tally.rows += range.count;
  if (range.data->weights.empty()) {
    tally.weight += static_cast<double>(range.count);
    return;
  }
  for (std::size_t r = 0; r < range.count; ++r) {
    tally.weight += static_cast<double>(range.data->weights[range.first + r]);
  }
}

/// Adds what the range's row r has.
inline void add_row(const RowRange& range, std::size_t r, double loss, bool hit, Tally& tally) {
  const auto weight = static_cast<double>(range.data->weight_of(range.first + r));
  tally.loss_sum += weight * loss;
  tally.correct += hit ? weight : 0.0;
}

/// y of two classes: 1 for class 1, −1 for class 0. Computed, for labels are too random for a
/// branch.
inline float sign_of(Label label) {
  return static_cast<float>(2 * label - 1);
}

/// Features whose weights the regulariser is for: the first so many, all but an intercept.
inline std::size_t regularised_features(const Dataset& data) {
  return data.features - (data.intercept ? 1 : 0);
}

/// (λ/2)‖weights‖² + μ‖weights‖₁, summed in double.
double penalty_of(const Penalties& penalties, std::span<const float> weights);

/// μ‖w‖₁ over these parameters; of none where μ = 0.
AbsolutePenalty absolute_penalty_of(const Penalties& penalties,
                                    std::vector<ParameterRange> weights);

/// gradient ← that of the smooth penalty, λ weights. Where there are fewer weights than elements,
/// the others are not regularised: zero.
void set_to_penalty_gradient(double l2, std::span<const float> weights, std::span<float> gradient);

// Cross-entropy. `scores` holds one row of class scores for each row of the batch.

/// scores ← their gradients of the mean loss over the batch, each row's by its weight.
void scores_to_residuals(Batch batch, std::size_t classes, std::span<float> scores);

/// Adds loss and hits of the range's rows. `scores` may hold more rows.
void tally_scores(const RowRange& range, std::size_t classes, std::span<const float> scores,
                  Tally& tally);

}  // namespace trainyard
