// Predictions along one quantity, and where the cheapest scheme changes.
//
//   const SweepResult steps =
//       sweep(parse_variation("period=1:64", predicted_quantities()), contestants, setting);
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/configuration/variation.hpp"

namespace trainyard {

/// What can be varied: the options of a prediction, and "size", of the model.
FindVaried predicted_quantities();

/// `setting` with that value. REQUIRES: predicted_quantities() reads it.
void set_quantity(PredictionSetting& setting, const OptionText& value);

struct SweepPoint {
  std::string text;                     // as typed
  std::optional<double> value;          // of a quantity with a measure
  std::vector<Prediction> predictions;  // of each contestant
  /// Index of the shortest sustained step of those that send messages; the first of equals, and of
  /// those that are not told apart by more than their errors; -1 when none sends any.
  int cheapest = -1;
};

/// Between two neighbouring values of the sweep the cheapest changes.
struct Crossing {
  double low = 0.0, high = 0.0;  // narrowed to 0.1 %, except where something is counted
  std::string before, after;     // labels
};

struct SweepResult {
  Variation variation;  // of its values
  ValueLine line{};
  std::vector<SweepPoint> points;     // ascending where there is a measure; as typed otherwise
  std::vector<Crossing> crossings{};  // where there is a measure
};

/// A contestant that has for itself what is varied stays as it is, beside the others. Throws
/// Interrupted where that is set between two values.
SweepResult sweep(const Variation& variation, const std::vector<Contestant>& contestants,
                  const PredictionSetting& setting, const std::atomic<bool>* interrupted = nullptr);

}  // namespace trainyard
