// The rule of the regularisers, which the sparse updates of the linear models share.
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
/// never does and for an intercept. Empty when λ = 0. Of μ alike.
inline std::vector<float> over_frequency(double penalty, const Dataset& train) {
  if (penalty == 0.0) return {};
  std::vector<std::size_t> counts(train.features, 0);
  for (const std::uint32_t column : train.columns) ++counts[column];
  std::vector<float> pull(train.features, 0.0F);
  for (std::size_t j = 0; j < regularised_features(train); ++j) {
    if (counts[j] == 0) continue;
    pull[j] = static_cast<float>(penalty * static_cast<double>(train.rows) /
                                 static_cast<double>(counts[j]));
  }
  return pull;
}

/// What both penalties take of a weight where its feature occurs, for each feature: before it is
/// multiplied by γ / |batch|.
struct RowPenalties {
  std::vector<float> pull;    // λ / p_j; empty where λ = 0
  std::vector<float> shrink;  // μ / p_j; empty where μ = 0

  RowPenalties() = default;
  RowPenalties(const Penalties& penalties, const Dataset& train)
      : pull(over_frequency(penalties.l2, train)), shrink(over_frequency(penalties.l1, train)) {}

  /// Those of the column that each stands for.
  RowPenalties of_columns(std::span<const std::uint32_t> stands_for) const {
    RowPenalties all;
    const auto chosen = [&](const std::vector<float>& from, std::vector<float>& into) {
      if (from.empty()) return;
      for (const std::uint32_t j : stands_for) into.push_back(from[j]);
    };
    chosen(pull, all.pull);
    chosen(shrink, all.shrink);
    return all;
  }

  /// The weight of feature `j` after a step by `change` with both, the scale being γ / |batch|.
  float stepped(float old, float change, std::size_t j, float scale) const {
    const float l2 = pull.empty() ? 0.0F : std::min(scale * pull[j], 1.0F);
    const float bound = scale * shrink[j], moved = old - (change + l2 * old);
    return moved - std::clamp(moved, -bound, bound);
  }
};

}  // namespace trainyard
