// The rule of the regulariser, which the sparse updates of the linear models share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/model/parameter_access.hpp"

#include "model/batch_rows.hpp"

namespace trainyard {

/// λ / p_j for each feature, p_j being the fraction of the rows in which it occurs; 0 where it
/// never does and for an intercept. Empty when λ = 0.
inline std::vector<float> inverse_frequency_pull(double l2, const Dataset& train) {
  if (l2 == 0.0) return {};
  std::vector<std::size_t> counts(train.features, 0);
  for (const std::uint32_t column : train.columns) ++counts[column];
  std::vector<float> pull(train.features, 0.0F);
  for (std::size_t j = 0; j < regularised_features(train); ++j) {
    if (counts[j] == 0) continue;
    pull[j] =
        static_cast<float>(l2 * static_cast<double>(train.rows) / static_cast<double>(counts[j]));
  }
  return pull;
}

/// pull[j] of the column that each stands for. Empty when λ = 0.
inline std::vector<float> pull_of_columns(std::span<const float> pull,
                                          std::span<const std::uint32_t> stands_for) {
  if (pull.empty()) return {};
  std::vector<float> all(stands_for.size());
  std::ranges::transform(stands_for, all.begin(), [&](std::uint32_t j) { return pull[j]; });
  return all;
}

}  // namespace trainyard
