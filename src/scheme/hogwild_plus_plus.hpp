// The rule of Hogwild++ between two clusters, for its scheme and its tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/runtime/shared_model.hpp"

namespace trainyard {

/// β with βⁿ + β = 1, and λ = 1 − βⁿ⁻¹, for n clusters.
struct RingWeights {
  double beta = 1.0, lambda = 0.0;
};
/// REQUIRES: clusters ≥ 2.
RingWeights ring_weights(int clusters);

/// The exchange that the holder of the token makes, coordinate by coordinate. With δ = own − old,
/// and what the next cluster had:
///   |δ| > tolerance:  next ← next + βδ,  own ← λ next + (1−λ) own + (β+λ−1) δ,  old ← own
///   else:             own ← λ next + (1−λ) own + λ δ,                           old ← own − δ
/// all of the right-hand sides from before. Both are written as changes, by `access`, so that what
/// others add meanwhile is kept; it counts towards the next δ.
///
/// δ is the whole change, for which the weights are made: with βⁿ + β = 1 a change is whole again
/// in its own cluster after a round. The authors' code had it so until 9 February 2016; since then
/// it has δ = γ (own − old), with which a change of γ-th the size goes round and does not come
/// to 1.
class RingExchange {
 public:
  /// `old`: what every cluster starts from, in memory that outlives it.
  RingExchange(RingWeights weights, double tolerance, std::span<float> old);
  void exchange(SharedModel& own, SharedModel& next, SharedAccess access);
  /// The first parameters of those lines of the next cluster's model that the last exchange wrote.
  std::span<const std::size_t> lines_handed_on() const { return handed_on_; }

 private:
  RingWeights weights_;
  float tolerance_;
  std::span<float> old_;
  std::vector<std::size_t> handed_on_;
};

}  // namespace trainyard
