#include "trainyard/experiment/comparison.hpp"

#include <algorithm>

#include "trainyard/experiment/resolve.hpp"

namespace trainyard {

namespace {

void set_target(RunResult& result, double target) {
  const auto reached = std::ranges::find_if(
      result.metrics, [&](const Metrics& metrics) { return metrics.train_loss <= target; });
  result.summary.target_loss = target;
  if (reached == result.metrics.end()) return;
  result.summary.seconds_to_target = reached->seconds;
  result.summary.epochs_to_target = reached->epoch;
}

/// The worst, over the schemes that ran to their end, of the lowest loss each has seen.
void set_common_target(std::vector<RunResult>& results) {
  std::optional<double> target;
  for (const RunResult& result : results) {
    if (result.summary.diverged || result.summary.interrupted) continue;
    const auto best = std::ranges::min_element(result.metrics, {}, &Metrics::train_loss);
    target = std::max(target.value_or(best->train_loss), best->train_loss);
  }
  if (!target) return;
  for (RunResult& result : results) set_target(result, *target);
}

}  // namespace

std::vector<RunResult> run_comparison(const Configuration& configuration,
                                      const std::vector<std::string>& schemes,
                                      const LoadedData& data, const ComparisonHooks& hooks) {
  Configuration resolved = resolve(configuration, schemes, data, hooks.run.remark);
  std::vector<RunResult> results;
  for (const std::string& scheme : schemes) {
    resolved.scheme = scheme;
    if (hooks.begins) hooks.begins(resolved);
    results.push_back(run_experiment(resolved, data, hooks.run));
    if (hooks.ended) hooks.ended(results.back());
    if (results.back().summary.interrupted) break;
  }
  if (!configuration.target_loss) set_common_target(results);
  return results;
}

}  // namespace trainyard
