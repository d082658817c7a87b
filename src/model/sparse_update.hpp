// What the sparse updates of the linear models share: the two ways to change a parameter, and the
// regulariser's rule.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "trainyard/data/dataset.hpp"

#include "model/batch_rows.hpp"
#include "model/shared_access.hpp"

namespace trainyard {

/// parameter ← next(parameter) by load and store: what others store in between is lost.
struct LoadAndStore {
  template <typename Next>
  static void update(float& parameter, const Next& next) {
    store_relaxed(parameter, next(load_relaxed(parameter)));
  }
};

/// The same by compare-and-swap, tried until nobody came in between: nothing is lost.
struct CompareAndSwap {
  template <typename Next>
  static void update(float& parameter, const Next& next) {
    const std::atomic_ref<float> shared(parameter);
    // relaxed: nothing is published; what makes the sum right is that the exchange is one
    // operation.
    float old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, next(old), std::memory_order_relaxed,
                                         std::memory_order_relaxed)) {
    }
  }
};

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

}  // namespace trainyard
