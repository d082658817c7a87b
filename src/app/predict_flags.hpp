// The flags of `trainyard predict`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/exchange_bounds.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/data/dataset.hpp"

#include "app/answer.hpp"
#include "app/training_time_flags.hpp"

namespace trainyard::app {

class PredictFlags {
 public:
  explicit PredictFlags(CLI::App& command);

  // All throw UsageError.
  PredictionSetting setting() const;
  ExchangeCosts exchange_costs() const;
  /// At each of the values.
  std::vector<ExchangeCosts> exchange_costs(const Sweep& values) const;
  std::optional<Sweep> sweep() const;
  std::vector<Variant> variants() const;
  AnswerOutput output() const;
  /// Of answers that are no page. Throws UsageError, beginning with the flag that asks for it.
  AnswerOutput output_without_page(std::string_view asked) const;

  bool break_even() const;
  /// For --break-even.
  std::vector<Variant> coded_schemes() const;
  std::vector<std::string> codecs() const;

  /// --split all.
  bool all_splits() const;
  bool training_time() const { return training_time_->asked(); }
  /// For --training-time; empty: the published ones. Throws UsageError.
  std::optional<TrainingTask> training_task() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  ExchangeCosts exchange_costs(const PredictionSetting& setting) const;
  const Dataset& data_of(const Configuration& configuration) const;
  void take_density(PredictionSetting& setting) const;
  std::vector<std::string> notes_of_other_questions() const;
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
  std::optional<TrainingTimeFlags> training_time_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
