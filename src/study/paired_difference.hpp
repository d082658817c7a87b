// Whether several seeds bear out that one contestant takes longer than another.
//
// Seeds draw the same minibatches and starts for all contestants, so what differs between two of
// them is told by the differences within each seed: their mean, with a 95 % interval by Student's t
// ("Student" 1908). If it has 0 in it, the next seeds may as well turn the order round.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace trainyard {

struct PairedDifference {
  double mean = 0.0;
  double half_width = 0.0;  // of the 95 % interval: t(K − 1, 0.975) s / √K
  std::size_t pairs = 0;

  bool is_borne_out() const { return mean > half_width || mean < -half_width; }
};

/// Of y − x, which have one value a seed, in the same order. Empty of less than two.
std::optional<PairedDifference> paired_difference(std::span<const double> x,
                                                  std::span<const double> y);

}  // namespace trainyard
