#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/commands.hpp"
#include "trainyard/experiment/comparison.hpp"
#include "trainyard/experiment/resolve.hpp"
#include "trainyard/report/progress.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard::app {

std::atomic<bool> interrupted{false};

namespace {

/// Everyone who listens to a run: the terminal, and the results folder if there is one.
class Listeners {
 public:
  explicit Listeners(const Configuration& configuration) : progress_(configuration.quiet) {}

  void begin(const Configuration& resolved) {
    progress_.begin(resolved);
    if (!resolved.out.empty()) {
      folder_ = std::make_unique<RunFolder>(resolved.out, resolved.scheme, resolved, resolved.force);
    }
  }
  void end(const RunResult& result) {
    progress_.end(result);
    if (folder_) folder_->finish(result);
    folder_.reset();
  }
  RunHooks hooks() {
    return {.evaluated =
                [this](const Metrics& metrics) {
                  progress_.evaluated(metrics);
                  if (folder_) folder_->add(metrics);
                },
            .remark = [this](const std::string& text) { progress_.remark(text); },
            .interrupted = &interrupted};
  }

 private:
  Progress progress_;
  std::unique_ptr<RunFolder> folder_;
};

int status_of(const std::vector<RunResult>& results) {
  for (const RunResult& result : results) {
    if (result.summary.interrupted) return exit_interrupted;
  }
  for (const RunResult& result : results) {
    if (result.summary.diverged) return exit_diverged;
  }
  return exit_done;
}

}  // namespace

int run_command(const Configuration& configuration) {
  Listeners listeners(configuration);
  const RunHooks hooks = listeners.hooks();
  const LoadedData data = load_dataset(dataset_request(configuration));
  const Configuration resolved =
      resolve(configuration, {configuration.scheme}, data, hooks.remark);
  listeners.begin(resolved);
  std::vector<RunResult> results;
  results.push_back(run_experiment(resolved, data, hooks));
  listeners.end(results.front());

  const std::string& format = configuration.format;
  fmt::print("{}", format == "json"  ? summary_json(results.front().summary)
                   : format == "csv" ? summary_csv(results)
                                     : summary_table(results.front().summary));
  return status_of(results);
}

int compare_command(const Configuration& configuration, const std::vector<std::string>& schemes) {
  Listeners listeners(configuration);
  const LoadedData data = load_dataset(dataset_request(configuration));
  const ComparisonHooks hooks{
      .begins = [&](const Configuration& resolved) { listeners.begin(resolved); },
      .ended = [&](const RunResult& result) { listeners.end(result); },
      .run = listeners.hooks()};
  const std::vector<RunResult> results = run_comparison(configuration, schemes, data, hooks);

  const std::string& format = configuration.format;
  fmt::print("{}", format == "json"  ? comparison_json(results)
                   : format == "csv" ? summary_csv(results)
                                     : comparison_table(results));
  return status_of(results);
}

}  // namespace trainyard::app
