// The flags of `trainyard predict`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/data/dataset.hpp"

#include "app/answer.hpp"
#include "app/checkpoint_flags.hpp"
#include "app/commands.hpp"
#include "app/compute_share_flags.hpp"
#include "app/training_time_flags.hpp"

namespace trainyard::app {

class PredictFlags {
 public:
  explicit PredictFlags(CLI::App& command);

  // All throw UsageError.
  PredictQuestion question() const;
  PredictionSetting setting() const;
  AnswerOutput output() const;
  /// The output of an answer that has no page. Throws UsageError, beginning with the flag that asks
  /// for it.
  AnswerOutput output_without_page(std::string_view asked) const;

  bool break_even() const;
  /// For --break-even.
  std::vector<CodedScheme> coded_schemes() const;

  /// --noise-ratio.
  std::optional<double> noise_ratio() const;

  /// --split all.
  bool all_splits() const;
  bool training_time() const { return training_time_->asked(); }
  /// For --training-time; empty: the published ones. Throws UsageError.
  std::optional<TrainingTask> training_task() const;

  bool compute_share() const { return compute_share_->asked(); }
  /// For --compute-share. Throws UsageError.
  ComputeShareQuestion compute_share_question() const {
    return compute_share_->question(setting());
  }

  bool checkpoints() const { return checkpoints_->asked(); }
  /// For --checkpoint-time.
  CheckpointQuestion checkpoint_question() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  std::vector<Contestant> contestants() const;
  std::vector<Contestant> asked_schemes() const;
  std::optional<Variation> varied() const;
  std::vector<std::string> notes_of_steps() const;
  const Dataset& data_of(const Configuration& configuration) const;
  void take_density(PredictionSetting& setting) const;
  std::vector<std::string> notes_of_other_questions() const;
  std::vector<std::string> notes_of_checkpoints() const;
  std::vector<std::string> notes_of_data() const;
  std::vector<std::string> notes_of_flags_in_vain(const std::vector<const CLI::Option*>& flags,
                                                  std::string_view why) const;

  std::vector<CLI::Option*> options_;  // each named as in the table of options
  CLI::Option* size_;
  CLI::Option* rows_;
  CLI::Option* density_;
  mutable std::optional<Dataset> data_;  // that it names
  CLI::Option* schemes_;
  CLI::Option* vary_;
  CLI::Option* split_;
  std::vector<CLI::Option*> of_splits_;  // what is for --split all alone
  CLI::Option* reduce_rate_;
  CLI::Option* update_rate_;
  CLI::Option* break_even_;
  CLI::Option* noise_ratio_;
  std::optional<ComputeShareFlags> compute_share_;
  std::optional<CheckpointFlags> checkpoints_;
  std::optional<TrainingTimeFlags> training_time_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
