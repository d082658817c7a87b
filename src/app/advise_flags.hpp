// The flags of `trainyard advise`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/study/measured_noise.hpp"

#include "app/advised_start.hpp"
#include "app/answer.hpp"
#include "app/checkpoint_flags.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class AdviseFlags {
 public:
  explicit AdviseFlags(CLI::App& command);

  // Both throw UsageError and DataError.
  AdviceQuestion question() const;
  AdviseRequest request() const;

  /// What is assumed where nothing was said, and "note: --X has no effect: REASON".
  std::vector<std::string> notes() const;

 private:
  /// What a file says, where one is named. Read once: questions are asked of the flags twice.
  const AdvisedStart& start() const;
  const CLI::Option* other_setting() const;
  void take_start(AdviceQuestion& question) const;
  void take_memory(AdviceQuestion& question) const;
  void take_measured(AdviceQuestion& question) const;
  /// Measured once, as what a file says.
  const MeasuredNoise& noise() const;
  bool measures_noise() const;
  std::optional<AdvisedTraining> training() const;
  bool is_of_one_machine() const;
  AdviseRequest request_of_one_machine() const;
  std::vector<std::string> notes_of_one_machine() const;

  CLI::Option* file_;
  std::vector<CLI::Option*> options_;  // each named as in the table of options
  CLI::Option *size_, *machines_, *measured_, *scheme_, *noise_scale_, *memory_, *optimizer_;
  std::vector<CLI::Option*> targets_;  // named as in the table of options
  CLI::Option *epochs_, *seeds_;       // of the runs to a target
  std::optional<CheckpointFlags> checkpoints_;
  mutable std::optional<AdvisedStart> start_;
  mutable std::optional<MeasuredNoise> noise_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
