// Whether several seeds bear out that one contestant takes longer than another.
//
// Seeds draw the same minibatches and starts for all contestants, so what differs between two of
// them is told by the ratios within each seed: their geometric mean, with a 95 % interval by
// Student's t of their logarithms ("Student" 1908). If it has 1 in it, the next seeds may as well
// turn the order round. Of ratios, as times differ by factors: 0.2 ms beside 7 s is no matter of
// how much 7 s vary.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace trainyard {

struct PairedRatio {
  double mean = 1.0;             // geometric
  double low = 1.0, high = 1.0;  // of the 95 % interval: e^(m ± t(K − 1, 0.975) s / √K)
  std::size_t pairs = 0;

  bool is_borne_out() const { return low > 1.0 || high < 1.0; }
};

/// The ratio y / x, with one value a seed in each, in the same order. Empty for fewer than two.
/// REQUIRES: they are above 0.
std::optional<PairedRatio> paired_ratio(std::span<const double> x, std::span<const double> y);

/// Whether the same seeds tell y from x: the interval of their ratio leaves 1 out or, where a value
/// is 0 or below, that of their difference 0. False for fewer than two.
bool told_apart(std::span<const double> x, std::span<const double> y);

}  // namespace trainyard
