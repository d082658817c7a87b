// The flags of `trainyard predict --training-time`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/training_time.hpp"

namespace trainyard::app {

class TrainingTimeFlags {
 public:
  explicit TrainingTimeFlags(CLI::App& command);

  /// Whether --training-time is given.
  bool asked() const;
  /// The task that the other flags describe; empty where none is given. Throws UsageError for a
  /// value that is wrong, and where only some of them are given.
  std::optional<TrainingTask> task() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  struct Number {
    CLI::Option* flag;
    double TrainingTask::*field;
    double high;
  };
  CLI::Option* switch_;
  std::vector<Number> numbers_;
};

}  // namespace trainyard::app
