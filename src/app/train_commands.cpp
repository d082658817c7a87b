#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "trainyard/experiment/comparison.hpp"
#include "trainyard/experiment/resolve.hpp"
#include "trainyard/report/chrome_trace.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/progress.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/summary_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// Set by Ctrl-C; the run under way ends with what it has.
std::atomic<bool> interrupted{false};

extern "C" void note_interrupt(int signal) {
  // relaxed: only the flag itself is read.
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the program at once
}

/// Before that there is nothing to keep, and an interrupt just ends the program.
void keep_results_when_interrupted() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

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
    if (folder_) folder_->finish(result);
    folder_.reset();
    if (trace_) finish_trace();
  }
  RunHooks hooks() {
    return {.evaluated =
                [this](const Metrics& metrics) {
                  progress_.evaluated(metrics);
                  if (folder_) folder_->add(metrics);
                },
            .remark = [this](const std::string& text) { progress_.remark(text); },
            .interrupted = &interrupted,
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
    if (!configuration.out.empty() && !configuration.force) {
      refuse_existing_results(configuration.out, scheme);
    }
    if (!configuration.trace.empty()) {
      const OutputFile claim("--trace", trace_file(configuration, scheme, one_of_several),
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
    fmt::print(stderr,
               "trainyard: {} diverged: the loss is not finite or more than 1000 times the first; "
               "a smaller --lr may help\n",
               result.summary.scheme);
  }
  // relaxed: a flag that a signal sets; nothing is published with it.
  if (interrupted.load(std::memory_order_relaxed)) {
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
  check_outputs(configuration, {configuration.scheme}, false);
  Listeners listeners(configuration, false);
  const RunHooks hooks = listeners.hooks();
  const LoadedData data = load_dataset(dataset_request(configuration));
  const Configuration resolved = resolve(configuration, {configuration.scheme}, data, hooks.remark);
  keep_results_when_interrupted();
  listeners.begin(resolved);
  std::vector<RunResult> results;
  results.push_back(run_experiment(resolved, data, hooks));

  const std::string& format = configuration.format;
  print(format == "json"  ? summary_json(results.front().summary)
        : format == "csv" ? summary_csv(results)
                          : summary_table(results.front().summary));
  listeners.end(results.front());  // after printing: a full disk must not cost the result
  return conclude(results);
}

int compare_command(const Configuration& configuration, const std::vector<Contestant>& contestants,
                    const ComparisonOptions& options) {
  Listeners listeners(configuration, true);
  const LoadedData data = load_dataset(dataset_request(configuration));
  const std::vector<std::string> schemes =
      able_to_run(contestants, configuration, data, listeners.hooks().remark);
  for (int k = 0; k < options.seeds; ++k) {
    check_outputs(with_seed(configuration, k, options), schemes, true);
  }
  keep_results_when_interrupted();
  std::exception_ptr failure;
  const ComparisonHooks hooks{
      .begins = [&](const Configuration& resolved) { listeners.begin(resolved); },
      .ended =
          [&](const RunResult& result) {
            try {
              listeners.end(result);
            } catch (...) {
              if (!failure) failure = std::current_exception();  // first print what was computed
            }
          },
      .run = listeners.hooks(),
      .failed =
          [&](const std::exception_ptr& error) {
            if (!failure) failure = error;
          }};
  const std::vector<RunResult> results =
      run_comparison(configuration, schemes, data, hooks, options);

  const std::string& format = configuration.format;
  print(format == "json"    ? comparison_json(results, options)
        : format != "csv"   ? comparison_table(results, options)
        : options.seeds > 1 ? spread_csv(results)
                            : summary_csv(results));
  if (failure) std::rethrow_exception(failure);
  return conclude(results);
}

}  // namespace trainyard::app
