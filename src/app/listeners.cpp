#include "app/listeners.hpp"

#include "trainyard/base/interrupt.hpp"
#include "trainyard/report/chrome_trace.hpp"

#include "app/failures.hpp"
#include "app/read_files.hpp"

namespace trainyard::app {

namespace {

/// Messages and waits of the first steps: as many as anybody looks at, and 100 kB of a page.
constexpr std::size_t most_in_report = 1000;

}  // namespace

void check_outputs(const RunPlace& place, bool overwrite) {
  if (!place.folder.empty()) {
    refuse_unwritable(place.folder.parent_path());
    refuse_taken_folder(place.folder.parent_path(), place.folder.filename().string(),
                        overwrite || place.is_made_again);
  }
  if (!place.trace.empty()) const OutputFile checked("--trace", place.trace, overwrite);
}

Listeners::Listeners(const Configuration& configuration, RunPlace place, bool alone,
                     RunCount* count)
    : place_(std::move(place)),
      progress_({.quiet = configuration.quiet,
                 .every_evaluation = configuration.progress,
                 .alone = alone,
                 .count = count}) {
  if (!place_.trace.empty()) {
    recorder_.emplace(configuration.trace_steps);
  } else if (!configuration.html.empty()) {
    recorder_.emplace(StepRange{}, most_in_report);
  }
}

Listeners::~Listeners() {
  if (!folder_ || folder_->kept().empty()) return;
  complain("the evaluations so far are in " + folder_->kept().string());
}

void Listeners::begin(const Configuration& resolved) {
  progress_.begin(place_.name, resolved);
  if (!place_.folder.empty()) {
    folder_ =
        std::make_unique<RunFolder>(place_.folder.parent_path(), place_.folder.filename().string(),
                                    resolved, resolved.force || place_.is_made_again);
  }
  if (!place_.trace.empty()) {
    check_not_read("trace", place_.trace, resolved);
    trace_.emplace("--trace", place_.trace, resolved.force);
  }
}

void Listeners::end(const RunResult& result, const Archive* kept) {
  progress_.end(result);
  Failures failures;
  if (folder_) failures.attempt([&] { folder_->finish(result, kept); });
  folder_.reset();
  if (trace_) failures.attempt([&] { finish_trace(*result.trace); });
  failures.rethrow();
}

RunHooks Listeners::hooks() {
  return {.evaluated =
              [this](const Metrics& metrics) {
                // Before it, an interrupt ends the program at once: a large model may be minutes
                // in the making.
                keep_results_when_interrupted();
                progress_.evaluated(metrics);
                if (folder_) folder_->add(metrics);
              },
          .recalled =
              [this](const Metrics& metrics) {
                if (folder_) folder_->add(metrics);
              },
          .remark = [this](const std::string& text) { progress_.remark(text); },
          .interrupted = &interrupt_flag(),
          .interrupt = note_interrupt,
          .recorder = recorder_ ? &*recorder_ : nullptr};
}

void Listeners::finish_trace(const Trace& trace) {
  trace_->finish(chrome_trace(trace));
  trace_.reset();
}

}  // namespace trainyard::app
