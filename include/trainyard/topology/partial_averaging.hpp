// Partial averaging and nothing else: x ← W(k) x, round by round, as lectures tabulate it.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// Rounds x ← W x. If the rows of W add up to 1, values() are x. If only the columns do, x goes to
/// a multiple of the mean of its own for each rank, and values() are push-sum's estimates of the
/// mean: x_i/w_i, w being what the same rounds make of (1, …, 1).
class PartialAveraging {
 public:
  /// REQUIRES: as many values as ranks; `topology` outlives it.
  PartialAveraging(const Topology& topology, std::vector<double> start);

  void next_round();
  const std::vector<double>& values() const { return values_; }
  /// w. Empty where the rows of W add up to 1, and all w_i stay 1.
  const std::vector<double>& weights() const { return weights_; }

 private:
  const Topology& topology_;
  std::uint64_t round_ = 0;
  std::vector<double> values_;
  std::vector<double> x_, weights_;  // of push-sum; empty where it is not needed
};

}  // namespace trainyard
