#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/report/chrome_trace.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/progress.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/study/comparison.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "base/interrupt.hpp"
#include "base/standard_streams.hpp"

namespace trainyard::app {

namespace {

/// Where the trace of a scheme goes: when several run, the file's name is followed by the scheme's.
std::filesystem::path trace_file(const Configuration& configuration, const std::string& scheme,
                                 bool one_of_several) {
  const std::filesystem::path& file = configuration.trace;
  if (!one_of_several) return file;
  return file.parent_path() / (file.stem().string() + "-" + scheme + file.extension().string());
}

/// Everyone who listens to a run: the terminal, the results folder and the trace if there is one.
class Listeners {
 public:
  Listeners(const Configuration& configuration, bool one_of_several)
      : progress_(configuration.quiet), one_of_several_(one_of_several) {
    if (!configuration.trace.empty()) recorder_.emplace(configuration.trace_steps);
  }
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;
  /// Says where the evaluations are of a run that has thrown.
  ~Listeners() {
    if (!folder_ || folder_->kept().empty()) return;
    complain("the evaluations so far are in " + folder_->kept().string());
  }

  void begin(const Configuration& resolved) {
    progress_.begin(resolved);
    if (!resolved.out.empty()) {
      folder_ =
          std::make_unique<RunFolder>(resolved.out, resolved.scheme, resolved, resolved.force);
    }
    if (recorder_) {
      trace_.emplace("--trace", trace_file(resolved, resolved.scheme, one_of_several_),
                     resolved.force);
    }
  }
  void end(const RunResult& result) {
    progress_.end(result);
    Failures failures;
    if (folder_) failures.attempt([&] { folder_->finish(result); });
    folder_.reset();
    if (trace_) failures.attempt([&] { finish_trace(); });
    failures.rethrow();
  }
  /// Calls it. When the run under way is refused, nothing of it is kept: the corrected command
  /// finds its folder as the refused one has.
  template <typename Action>
  auto attempt(const Action& action) {
    try {
      return action();
    } catch (const UsageError&) {
      if (folder_) folder_->discard();
      throw;
    }
  }
  RunHooks hooks() {
    return {.evaluated =
                [this](const Metrics& metrics) {
                  // Before it, an interrupt ends the program at once: a large model may be minutes
                  // in the making.
                  keep_results_when_interrupted();
                  progress_.evaluated(metrics);
                  if (folder_) folder_->add(metrics);
                },
            .remark = [this](const std::string& text) { progress_.remark(text); },
            .interrupted = &interrupt_flag(),
            .recorder = recorder_ ? &*recorder_ : nullptr};
  }

 private:
  void finish_trace() {
    const Trace trace = recorder_->take();
    trace_->finish(chrome_trace(trace));
    trace_.reset();
    if (trace.cut) {
      progress_.remark(
          fmt::format("note: the trace ends at {}, where it holds {} messages; "
                      "--trace-steps A:B chooses other steps",
                      human_duration(to_seconds(trace.until)), trace.messages.size()));
    } else if (trace.until == trace.from) {
      progress_.remark("note: the trace is empty: no step of --trace-steps was taken");
    }
  }

  Progress progress_;
  bool one_of_several_;
  std::optional<TraceRecorder> recorder_;
  std::optional<OutputFile> trace_;
  std::unique_ptr<RunFolder> folder_;
};

/// Before anything is computed: throws for what may not be overwritten, or cannot be written.
void check_outputs(const Configuration& configuration, const std::vector<std::string>& schemes,
                   bool one_of_several) {
  for (const std::string& scheme : schemes) {
    if (!configuration.out.empty()) {
      refuse_taken_folder(configuration.out, scheme, configuration.force);
    }
    if (!configuration.trace.empty()) {
      const OutputFile checked("--trace", trace_file(configuration, scheme, one_of_several),
                               configuration.force);
    }
  }
}

/// The exit status, with a word on standard error when it is not 0.
int conclude(const std::vector<RunResult>& results) {
  int status = exit_done;
  for (const RunResult& result : results) {
    if (!result.summary.diverged) continue;
    status = exit_diverged;
    complain(fmt::format(
        "{} diverged: the loss is not finite or more than 1000 times the first; a smaller --lr may "
        "help",
        result.summary.scheme));
  }
  // relaxed: a flag that a signal sets; nothing is published with it.
  if (interrupt_flag().load(std::memory_order_relaxed)) {
    status = exit_interrupted;
    complain("interrupted; these are the results so far");
  }
  return status;
}

/// run_program() has bound the program to what is available.
void use_memory_as(const Configuration& configuration) {
  if (configuration.force_memory) bound_memory(std::numeric_limits<std::size_t>::max());
}

/// With what its readers have to say.
LoadedData load(const Configuration& configuration, const RunHooks& hooks) {
  LoadedData data = load_dataset(dataset_request(configuration));
  for (const std::string& remark : data.remarks) hooks.remark(remark);
  return data;
}

/// Throws when it cannot be written: at once, and not when the program ends.
void print(const std::string& text) {
  fmt::print("{}", text);
  flush_output();
}

}  // namespace

int run_command(const Configuration& configuration) {
  use_memory_as(configuration);
  check_outputs(configuration, {configuration.scheme}, false);
  Listeners listeners(configuration, false);
  const RunHooks hooks = listeners.hooks();
  const LoadedData data = load(configuration, hooks);
  const Configuration resolved = resolve(configuration, {configuration.scheme}, data, hooks.remark);
  listeners.begin(resolved);
  std::vector<RunResult> results;
  results.push_back(
      listeners.attempt([&] { return run_experiment(plan_run(resolved, data), hooks); }));

  const std::string& format = configuration.format;
  Failures failures;  // each of them costs only itself
  failures.attempt([&] {
    print(format == "json"  ? summary_json(results.front().summary)
          : format == "csv" ? summary_csv(results)
                            : summary_table(results.front().summary));
  });
  failures.attempt([&] { listeners.end(results.front()); });
  const int status = conclude(results);
  failures.rethrow();
  return status;
}

int compare_command(const Configuration& configuration,
                    const std::vector<SelectedScheme>& selection,
                    const ComparisonOptions& options) {
  use_memory_as(configuration);
  Listeners listeners(configuration, true);
  const LoadedData data = load(configuration, listeners.hooks());
  const std::vector<std::string> schemes =
      able_to_run(selection, configuration, data, listeners.hooks().remark);
  for (int k = 0; k < options.seeds; ++k) {
    check_outputs(with_seed(configuration, k, options), schemes, true);
  }
  Failures failures;  // each of them costs only itself
  const ComparisonHooks hooks{
      .begins = [&](const Configuration& resolved) { listeners.begin(resolved); },
      .ended = [&](const RunResult& result) { failures.attempt([&] { listeners.end(result); }); },
      .run = listeners.hooks(),
      .failed =
          [&](const std::exception_ptr& error) {
            failures.attempt([&] { listeners.attempt([&] { std::rethrow_exception(error); }); });
          }};
  const std::vector<RunResult> results = listeners.attempt(
      [&] { return run_comparison(configuration, schemes, data, hooks, options); });

  const std::string& format = configuration.format;
  if (results.empty()) failures.rethrow();
  failures.attempt([&] {
    print(format == "json"    ? comparison_json(results, options)
          : format != "csv"   ? comparison_table(results, options)
          : options.seeds > 1 ? statistics_csv(results)
                              : summary_csv(results));
  });
  const int status = conclude(results);
  failures.rethrow();
  return status;
}

}  // namespace trainyard::app
