#include "trainyard/analysis/optimal_time.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

// Among workers that are alike (m + σ²/ε) / (a + (m − m₀)/τ) rises or falls with m throughout, and
// so does τ (1 + σ²/(mε)).
OptimalTime optimal_time(std::vector<double> compute_s, double noise_ratio) {
  require(!compute_s.empty(), "somebody computes");
  std::ranges::sort(compute_s);
  OptimalTime found;
  found.threshold = static_cast<std::uint64_t>(std::max(1.0, std::ceil(noise_ratio)));
  double gradients_a_second = 0.0;
  for (std::size_t i = 0; i < compute_s.size(); ++i) {
    gradients_a_second += 1.0 / compute_s[i];
    if (i + 1 < compute_s.size() && compute_s[i + 1] == compute_s[i]) continue;
    const auto m = static_cast<double>(i + 1);
    found.ways.push_back({i + 1, compute_s[i], (m + noise_ratio) / gradients_a_second,
                          compute_s[i] * (1.0 + noise_ratio / m)});
  }
  const auto best = [&](double FastestWorkers::*time) {
    return static_cast<std::size_t>(std::ranges::min_element(found.ways, {}, time) -
                                    found.ways.begin());
  };
  found.best_asynchronous = best(&FastestWorkers::asynchronous_s);
  found.best_minibatch = best(&FastestWorkers::minibatch_s);
  return found;
}

std::vector<double> compute_seconds(const Configuration& configuration) {
  const double fastest = to_seconds(configuration.compute_time.value_or(Duration{0}));
  if (!(fastest > 0.0)) throw OptionError("compute-time", "0: with --noise-ratio it takes time");
  std::vector<double> all(static_cast<std::size_t>(configuration.workers), fastest);
  for (const Straggler& slow : configuration.stragglers) {
    if (slow.rank >= configuration.workers) {
      throw OptionError("straggler", fmt::format("there is no worker {}; workers are 0 to {}",
                                                 slow.rank, configuration.workers - 1));
    }
    all[static_cast<std::size_t>(slow.rank)] *= slow.factor;
  }
  return all;
}

}  // namespace trainyard
