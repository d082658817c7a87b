#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "trainyard/experiment/comparison.hpp"
#include "trainyard/experiment/resolve.hpp"
#include "trainyard/report/progress.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/summary_format.hpp"

#include "app/commands.hpp"

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
      folder_ =
          std::make_unique<RunFolder>(resolved.out, resolved.scheme, resolved, resolved.force);
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

void refuse_existing(const Configuration& configuration, const std::vector<std::string>& schemes) {
  if (configuration.out.empty() || configuration.force) return;
  for (const std::string& scheme : schemes) refuse_existing_results(configuration.out, scheme);
}

/// The exit status, with a word on standard error when it is not 0.
int conclude(const std::vector<RunResult>& results) {
  int status = exit_done;
  for (const RunResult& result : results) {
    if (!result.summary.diverged) continue;
    status = exit_diverged;
    fmt::print(stderr,
               "trainyard: {} diverged: the loss is not finite or more than 1000 times the first; "
               "a smaller --lr may help\n",
               result.summary.scheme);
  }
  if (!results.empty() && results.back().summary.interrupted) {
    status = exit_interrupted;
    fmt::print(stderr, "trainyard: interrupted; these are the results so far\n");
  }
  return status;
}

void print(const std::string& text) {
  fmt::print("{}", text);
}

}  // namespace

int run_command(const Configuration& configuration) {
  refuse_existing(configuration, {configuration.scheme});
  Listeners listeners(configuration);
  const RunHooks hooks = listeners.hooks();
  const LoadedData data = load_dataset(dataset_request(configuration));
  const Configuration resolved = resolve(configuration, {configuration.scheme}, data, hooks.remark);
  listeners.begin(resolved);
  std::vector<RunResult> results;
  results.push_back(run_experiment(resolved, data, hooks));
  listeners.end(results.front());

  const std::string& format = configuration.format;
  print(format == "json"  ? summary_json(results.front().summary)
        : format == "csv" ? summary_csv(results)
                          : summary_table(results.front().summary));
  return conclude(results);
}

int compare_command(const Configuration& configuration, const std::vector<std::string>& schemes) {
  refuse_existing(configuration, schemes);
  Listeners listeners(configuration);
  const LoadedData data = load_dataset(dataset_request(configuration));
  const ComparisonHooks hooks{
      .begins = [&](const Configuration& resolved) { listeners.begin(resolved); },
      .ended = [&](const RunResult& result) { listeners.end(result); },
      .run = listeners.hooks()};
  const std::vector<RunResult> results = run_comparison(configuration, schemes, data, hooks);

  const std::string& format = configuration.format;
  print(format == "json"  ? comparison_json(results)
        : format == "csv" ? summary_csv(results)
                          : comparison_table(results));
  return conclude(results);
}

}  // namespace trainyard::app
