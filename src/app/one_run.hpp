// A run of `run` in its parts: what it writes, what is to be run, and what is printed of it; and
// what comparisons have in common with it.
//
// Threads: the main one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/catalog.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/run/checkpoint.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"

#include "app/listeners.hpp"

namespace trainyard::app {

/// run_program() has bound the program to what is available.
void use_memory_as(const Configuration& configuration);

/// Made before anything is computed: throws UsageError when it cannot be written.
std::optional<OutputFile> report_file(const Configuration& configuration);

/// Throws when it cannot be written: at once, and not when the program ends.
void print(const std::string& text, const std::string& format);

/// The exit status, with a word on standard error when it is not 0.
int conclude(const std::vector<RunResult>& results);

/// The checkpoint of --resume, where that is given.
std::optional<FoundCheckpoint> checkpoint_asked_for(const Configuration& asked);

/// What a run goes on from.
class Resumption {
 public:
  /// `found`: empty where it begins.
  explicit Resumption(std::optional<FoundCheckpoint> found) : found_(std::move(found)) {}
  /// The one that the run has then: `asked`, or of the checkpoint.
  Configuration configuration(const Configuration& asked);
  /// And says what has been passed over. REQUIRES: this outlives the run.
  void put_into(RunHooks& hooks);

 private:
  std::optional<FoundCheckpoint> found_;
};

/// The files that a run writes, open.
struct OpenedRun {
  explicit OpenedRun(const Configuration& asked);

  const RunPlace place;
  const std::optional<OutputFile> report;
  Listeners listeners;
  RunHooks hooks;
};

/// A run before it begins. `data` outlives it.
struct PreparedRun {
  PreparedRun(const Configuration& asked, const LoadedData& data, const RunHooks& hooks);

  std::vector<Note> notes;  // of its data, and of what was decided
  Plan plan;
};

/// Runs it, and prints and writes what came out. Returns the exit status.
int train(OpenedRun& run, const PreparedRun& prepared);

}  // namespace trainyard::app
