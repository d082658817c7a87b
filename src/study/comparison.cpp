#include "trainyard/study/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/study/tuning.hpp"

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
void set_common_target(std::span<RunResult> results) {
  std::optional<double> target;
  for (const RunResult& result : results) {
    if (result.summary.diverged || result.summary.interrupted) continue;
    const auto best = std::ranges::min_element(result.metrics, {}, &Metrics::train_loss);
    target = std::max(target.value_or(best->train_loss), best->train_loss);
  }
  if (!target) return;
  for (RunResult& result : results) set_target(result, *target);
}

/// Runs the comparisons of one command, one after the other.
class Comparisons {
 public:
  Comparisons(const std::vector<std::string>& schemes, const ComparisonHooks& hooks,
              const ComparisonOptions& options)
      : schemes_(schemes), hooks_(hooks), options_(options) {}

  /// False when the comparison ends here.
  bool run(const Configuration& resolved, const LoadedData& data);
  std::vector<RunResult> take() { return std::move(results_); }

 private:
  bool run_one(Configuration c, const LoadedData& data);

  const std::vector<std::string>& schemes_;
  const ComparisonHooks& hooks_;
  const ComparisonOptions& options_;
  std::map<std::string, double> tuned_;  // step sizes
  std::vector<RunResult> results_;
};

/// What one scheme cannot do is no reason not to run the others.
bool Comparisons::run(const Configuration& resolved, const LoadedData& data) {
  for (const std::string& scheme : schemes_) {
    Configuration c = resolved;
    c.scheme = scheme;
    try {
      if (!run_one(std::move(c), data)) return false;
    } catch (const std::exception& error) {
      if (!hooks_.failed) throw;
      hooks_.failed(std::current_exception());
      if (dynamic_cast<const Interrupted*>(&error) != nullptr) return false;
    }
  }
  return true;
}

bool Comparisons::run_one(Configuration c, const LoadedData& data) {
  if (options_.tune_lr && !tuned_.contains(c.scheme)) {
    const Tuning tuning = tune_step_size(c, data, hooks_.run);
    if (tuning.interrupted) return false;
    tuned_[c.scheme] = tuning.lr;
  }
  if (options_.tune_lr) c.optimizer.lr = tuned_[c.scheme];
  if (hooks_.begins) hooks_.begins(c);
  results_.push_back(run_experiment(plan_run(c, data), hooks_.run));
  if (hooks_.ended) hooks_.ended(results_.back());
  if (options_.seeds > 1) results_.back().model = {};
  return !results_.back().summary.interrupted;
}

}  // namespace

Configuration with_seed(const Configuration& configuration, int k,
                        const ComparisonOptions& options) {
  Configuration c = configuration;
  c.seed += static_cast<std::uint64_t>(k);
  if (options.seeds == 1) return c;
  const std::string label = fmt::format("seed-{}", c.seed);
  if (!c.out.empty()) c.out /= label;
  if (!c.trace.empty()) {
    c.trace.replace_filename(c.trace.stem().string() + "-" + label + c.trace.extension().string());
  }
  return c;
}

std::vector<RunResult> run_comparison(const Configuration& configuration,
                                      const std::vector<std::string>& schemes,
                                      const LoadedData& data, const ComparisonHooks& hooks,
                                      const ComparisonOptions& options) {
  Comparisons comparisons(schemes, hooks, options);
  Configuration asked = configuration;
  std::vector<RunResult> results;
  for (int k = 0; k < options.seeds; ++k) {
    const Configuration c = with_seed(asked, k, options);
    if (options.seeds > 1 && hooks.run.remark) {
      hooks.run.remark(fmt::format("seed {} ({} of {})", c.seed, k + 1, options.seeds));
    }
    const Configuration resolved = resolve(
        c, schemes, data, k == 0 ? hooks.run.remark : std::function<void(const std::string&)>{});
    // What was found out about the machine holds for all seeds.
    asked.time = resolved.time;
    asked.compute_time = resolved.compute_time;
    const bool whole = comparisons.run(resolved, data);
    auto of_this_seed = comparisons.take();
    if (!configuration.target_loss) set_common_target(of_this_seed);
    std::ranges::move(of_this_seed, std::back_inserter(results));
    if (!whole) break;
  }
  return results;
}

}  // namespace trainyard
