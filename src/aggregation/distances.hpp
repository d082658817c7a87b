// Distances between vectors.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"

namespace trainyard {

/// ‖v_i − v_j‖² of each two of n vectors; infinite where it is beyond the largest double.
class SquaredDistances {
 public:
  /// In `matrix`, n² numbers; `blocks` is for what is loaded meanwhile. Both grow where they have
  /// to.
  SquaredDistances(ConstVectors in, std::vector<double>& matrix, std::vector<double>& blocks);
  std::size_t size() const { return n_; }
  double of(std::size_t i, std::size_t j) const { return matrix_[i * n_ + j]; }

 private:
  std::span<const double> matrix_;
  std::size_t n_;
};

/// order ← 0 … n − 1, the nearest to v_i first and itself among them at 0; of those as near, the
/// lowest.
void nearest_first(const SquaredDistances& distances, std::size_t i,
                   std::vector<std::uint32_t>& order);

/// ‖v‖, where only its square would be beyond the largest or below the least double, too.
double norm_of(ConstVector v);

/// z = start + Σ c_i (v_i − start): a point that is kept as n weights, so that it needs neither
/// memory as long as a vector nor rounding to the precision of one.
struct WeightedPoint {
  ConstVector start;
  std::span<const double> weights;

  /// distances_i ← ‖v_i − z‖. `blocks` grows where it has to.
  void distances(ConstVectors in, std::vector<double>& blocks, std::span<double> distances) const;
  /// out ← z. `out` may be `start`.
  void write(ConstVectors in, Vector out) const;
};

}  // namespace trainyard
