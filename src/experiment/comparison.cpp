#include "trainyard/experiment/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/experiment/resolve.hpp"
#include "trainyard/experiment/tuning.hpp"

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
  bool run_all(const Configuration& resolved, const LoadedData& data);

  const std::vector<std::string>& schemes_;
  const ComparisonHooks& hooks_;
  const ComparisonOptions& options_;
  std::map<std::string, double> tuned_;  // step sizes
  std::vector<RunResult> results_;
  bool any_ended_ = false;
};

bool Comparisons::run(const Configuration& resolved, const LoadedData& data) {
  try {
    return run_all(resolved, data);
  } catch (...) {
    if (!any_ended_ || !hooks_.failed) throw;
    hooks_.failed(std::current_exception());
    return false;
  }
}

bool Comparisons::run_all(const Configuration& resolved, const LoadedData& data) {
  Configuration c = resolved;
  for (const std::string& scheme : schemes_) {
    c.scheme = scheme;
    c.optimizer = resolved.optimizer;
    if (options_.tune_lr && !tuned_.contains(scheme)) {
      const Tuning tuning = tune_step_size(c, data, hooks_.run);
      if (tuning.interrupted) return false;
      tuned_[scheme] = tuning.lr;
    }
    if (options_.tune_lr) c.optimizer.lr = tuned_[scheme];
    if (hooks_.begins) hooks_.begins(c);
    results_.push_back(run_experiment(c, data, hooks_.run));
    any_ended_ = true;
    if (hooks_.ended) hooks_.ended(results_.back());
    if (options_.seeds > 1) results_.back().model = {};
    if (results_.back().summary.interrupted) return false;
  }
  return true;
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
    LoadedData of_seed;
    if (k > 0) of_seed = load_dataset(dataset_request(c));
    const LoadedData& here = k > 0 ? of_seed : data;
    const Configuration resolved = resolve(
        c, schemes, here, k == 0 ? hooks.run.remark : std::function<void(const std::string&)>{});
    // What was found out about the machine holds for all seeds.
    asked.time = resolved.time;
    asked.compute_time = resolved.compute_time;
    const bool whole = comparisons.run(resolved, here);
    auto of_this_seed = comparisons.take();
    if (!configuration.target_loss) set_common_target(of_this_seed);
    std::ranges::move(of_this_seed, std::back_inserter(results));
    if (!whole) break;
  }
  return results;
}

}  // namespace trainyard
