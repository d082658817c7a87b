// The target of a run, and when it was reached.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// A run is there when the training loss or ‖∇F(x̄)‖² is at most, or the accuracy on validation
/// or test rows at least, so much.
struct Target {
  enum class Measure { loss, accuracy, gradient };
  Measure measure = Measure::loss;
  double value = 0.0;
  bool of_validation = false;  // the accuracy is that of validation rows, and not of test rows

  bool operator==(const Target&) const = default;
};

/// Empty where the configuration names none. REQUIRES: it names one at most.
std::optional<Target> target_of(const Configuration& configuration);

/// "training loss 0.33", "test accuracy 0.85", "validation accuracy 0.85".
std::string target_text(const Target& target);

/// The distance to the target, in the unit of its measure; 0 or less where it is reached. Infinite
/// where there is no figure, or none that is a number.
double distance(const Target& target, const Metrics& metrics);
bool is_reached(const Target& target, const Metrics& metrics);

/// When a target was first reached.
struct TargetCrossing {
  double seconds = 0.0, epochs = 0.0;
  /// Between the two evaluations on whose straight line it lies; 0 where the run began there.
  double interval_s = 0.0;
};
/// Between the first evaluation that has reached the target and the one before it, where the
/// straight line through both is at the target, but not before each worker has done a minibatch:
/// with one evaluation in ten steps a line from the start would be there after a tenth of the
/// first. Empty where none has.
std::optional<TargetCrossing> first_crossing(const Target& target,
                                             std::span<const Metrics> metrics);

/// When a run first came to a target that its next evaluation holds too, in seconds: of one run a
/// dip is luck. `last_counts`: the last evaluation needs none to follow.
std::optional<double> arrival(const Target& target, std::span<const Metrics> metrics,
                              bool last_counts);

/// Sets what the summary says of the target.
void set_target(const Target& target, std::span<const Metrics> metrics, Summary& summary);

}  // namespace trainyard
