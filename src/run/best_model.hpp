// Early stopping (Prechelt, "Early stopping - but when?", 1998, his UP_s with evaluations for
// strips): the model of the evaluation at which validation rows looked best is kept, and a run that
// has gone on for long enough without a better one ends.
//
// Threads: the one that evaluates.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "trainyard/base/vector.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

class Archive;  // data/archive.hpp

class BestModel {
 public:
  /// REQUIRES: the configuration has a patience.
  explicit BestModel(const Configuration& c)
      : kind_(c.metric), patience_(*c.patience), is_trained_(!c.start.empty()) {}

  /// The next evaluation. Of equals the one of the lower validation loss is better; what is no
  /// number is worse than any, and so is a model that nobody has trained.
  void look(const Metrics& metrics, ConstVector model);
  /// Whether it was the last one that is needed.
  bool is_over() const { return looks_ > best_ + static_cast<std::size_t>(patience_); }

  /// Which evaluation was the best, from 0.
  std::size_t best() const { return best_; }
  VectorBuffer take_model() { return std::move(model_); }
  /// All that was seen goes into the archive or comes from it.
  void exchange(Archive& archive);
  /// A note of what is kept and why the run ended. `metrics` are all evaluations.
  std::string note(std::span<const Metrics> metrics) const;

 private:
  bool is_better(std::optional<double> value, std::optional<double> loss) const;

  MeasureKind kind_;
  int patience_;
  bool is_trained_;  // when the run begins
  std::size_t looks_ = 0, best_ = 0;
  std::optional<double> value_, loss_;  // of the best one
  VectorBuffer model_;
};

/// By what --metric says of the validation rows. Empty where it is no number.
std::optional<double> validation_value(MeasureKind kind, const Metrics& metrics);

}  // namespace trainyard
