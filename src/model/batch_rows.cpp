#include "model/batch_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainyard/model/kernels.hpp"
#include "trainyard/model/row_weights.hpp"

namespace trainyard {

double penalty_of(const Penalties& penalties, std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights)
    sum += static_cast<double>(weight) * static_cast<double>(weight);
  const double squared = 0.5 * penalties.l2 * sum;
  if (penalties.l1 == 0.0) return squared;
  double absolute = 0.0;
  for (const float weight : weights) absolute += std::abs(static_cast<double>(weight));
  return squared + penalties.l1 * absolute;
}

AbsolutePenalty absolute_penalty_of(const Penalties& penalties,
                                    std::vector<ParameterRange> weights) {
  if (penalties.l1 == 0.0) return {};
  return {penalties.l1, std::move(weights)};
}

void set_to_penalty_gradient(double l2, std::span<const float> weights, std::span<float> gradient) {
  kernels::scaled_copy(l2, weights, gradient.first(weights.size()));
  kernels::set_to_zero(gradient.subspan(weights.size()));
}

void scores_to_residuals(Batch batch, std::size_t classes, std::span<float> scores) {
  const float scale = 1.0F / static_cast<float>(row_count(batch));
  std::size_t done = 0;
  for (const RowRange& range : batch) {
    const std::size_t size = range.count * classes;
    kernels::softmax_gradient(labels_of(range), scale, scores.subspan(done, size));
    done += size;
  }
  weigh_rows(batch, classes, scores);
}

void tally_scores(const RowRange& range, std::size_t classes, std::span<const float> scores,
                  Tally& tally) {
  const std::span<const Label> labels = labels_of(range);
  for (std::size_t r = 0; r < range.count; ++r) {
    const std::span<const float> row = scores.subspan(r * classes, classes);
    // The first of equal maxima: a tie goes to the lowest class.
    const auto best =
        static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    const auto label = static_cast<std::size_t>(labels[r]);
    const float loss = std::log(kernels::sum_exp(row, row[best])) + (row[best] - row[label]);
    add_row(range, r, static_cast<double>(loss), best == label, tally);
  }
  count_rows(range, tally);
}

}  // namespace trainyard
