// Everyone who listens to a run of the program: the terminal, the results folder and the trace if
// there is one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "trainyard/report/output_file.hpp"
#include "trainyard/report/progress.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard::app {

/// The name of one run, and where its results go.
struct RunPlace {
  std::string name;                // on the terminal
  std::filesystem::path folder{};  // of its results; empty: there are none
  std::filesystem::path trace{};   // empty: there is none
  bool is_made_again = false;      // what an earlier process has left in the folder is overwritten
};

/// Before anything is computed: throws for what may not be overwritten, or cannot be written.
void check_outputs(const RunPlace& place, bool overwrite);

/// Threads: one at a time for one object; different objects share only standard error.
class Listeners {
 public:
  /// `alone`: no other run is under way, and a terminal shows each evaluation. `count`: of the runs
  /// of which it is one; nullptr: it is none of several.
  Listeners(const Configuration& configuration, RunPlace place, bool alone,
            RunCount* count = nullptr);
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;
  /// Says where the evaluations are of a run that has thrown.
  ~Listeners();

  void begin(const Configuration& resolved);
  /// `kept`: what a comparison keeps of it beside the results; nullptr: nothing.
  void end(const RunResult& result, const Archive* kept = nullptr);
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
  RunHooks hooks();
  void remark(const std::string& text) { progress_.remark(text); }

 private:
  void finish_trace(const Trace& trace);

  const RunPlace place_;
  Progress progress_;
  std::optional<TraceRecorder> recorder_;
  std::optional<OutputFile> trace_;
  std::unique_ptr<RunFolder> folder_;
};

}  // namespace trainyard::app
