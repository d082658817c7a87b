#include "study/tuning_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "trainyard/run/target.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

bool is_by_clock(const Configuration& run) {
  return *run.steps >= static_cast<std::uint64_t>(most_steps);
}

std::uint64_t steps_of_part(const Configuration& run, double part) {
  const double whole = static_cast<double>(*run.steps);
  const double few = std::min(4.0, whole / 16.0);
  const auto asked = static_cast<std::uint64_t>(std::max({1.0, few, std::ceil(part * whole)}));
  const std::uint64_t cycle =
      steps_of_cycle(find_scheme(run.scheme), run.workers, run.hyperparameters);
  const std::uint64_t cycles =
      std::max<std::uint64_t>(cycle > 1 ? 2 : 1, (asked + cycle - 1) / cycle);
  return std::min(cycles * cycle, *run.steps);
}

std::vector<double> parts_of(const Configuration& run) {
  std::vector<double> parts;
  if (!has_target(run)) {
    // A part of a run of a few steps, or cycles, may be nearly all of it.
    for (const double part : {1.0 / 32, 1.0 / 8}) {
      if (is_by_clock(run) || 2 * steps_of_part(run, part) <= *run.steps) parts.push_back(part);
    }
    parts.push_back(1.0);
    return parts;
  }
  const double whole = static_cast<double>(*run.steps);
  double part =
      is_by_clock(run) ? 1.0 / 4096 : static_cast<double>(steps_of_part(run, 0.0)) / whole;
  while (part < 0.5) {
    parts.push_back(part);
    part *= 8.0;
  }
  parts.push_back(1.0);
  return parts;
}

void shorten_schedule(OptimizerOptions& optimizer, double part) {
  optimizer.run_epochs *= part;
  optimizer.warmup *= part;
  optimizer.lr_schedule.every *= part;
  optimizer.lr_decay /= part;
}

}  // namespace trainyard
