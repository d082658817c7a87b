// Which features a minibatch of sparse rows touches: those in which a row of it is not 0.
//
// Threads: a TouchedFeatures belongs to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/data/batch.hpp"

namespace trainyard {

/// Features in increasing order.
using Features = std::vector<std::uint32_t>;

/// A set of features that things are added to. It is a bit for each, so that they need not be
/// sorted.
class TouchedFeatures {
 public:
  explicit TouchedFeatures(std::size_t features) : words_((features + 63) / 64, 0) {}

  /// REQUIRES: sparse rows.
  void add(Batch rows);
  void add(std::span<const std::uint32_t> features);
  /// Puts them into `into`, and the set is empty again.
  void take(Features& into);

 private:
  std::vector<std::uint64_t> words_;
};

/// The share of the features that a minibatch of so many rows touches, on average over minibatches
/// of rows drawn at random: with p_j the share of the rows that have feature j,
/// (1/d) Σ_j (1 − (1 − p_j)^batch). 1 of dense data.
double touched_share(const Dataset& data, std::size_t batch);
/// That share for rows that have `density` of the features, all features being equally frequent.
double touched_share(double density, std::size_t batch);

}  // namespace trainyard
