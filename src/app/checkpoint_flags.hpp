// The flags of `trainyard predict --checkpoint-time`, and of `advise` with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/checkpointing.hpp"

namespace trainyard::app {

class CheckpointFlags {
 public:
  /// `in_steps`: of whose steps an interval is said.
  explicit CheckpointFlags(CLI::App& command,
                           const std::string& in_steps = "with --schemes also in steps of each");

  /// Whether --checkpoint-time is given.
  bool asked() const;
  /// Of so many workers. Throws UsageError for a value that is wrong, and where it is not said how
  /// often something fails, or said twice.
  CheckpointTask task(int workers) const;
  /// --worker-mtbf of so many; empty where it is not given. Throws UsageError.
  std::optional<WorkerFailures> worker_failures(int workers) const;

  std::vector<const CLI::Option*> flags() const;
  /// "note: --X has no effect: REASON" for each flag that is given without --checkpoint-time.
  std::vector<std::string> notes() const;

 private:
  CLI::Option *checkpoint_, *restart_, *mtbf_, *worker_mtbf_, *run_;
};

}  // namespace trainyard::app
