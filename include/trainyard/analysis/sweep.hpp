// Predictions along one quantity, and where the cheapest scheme changes.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/analysis/prediction.hpp"

namespace trainyard {

/// What can be varied. Values are seconds, bytes, bytes a second, or numbers.
struct Quantity {
  std::string name;                                              // of its flag
  bool whole;                                                    // counts something
  double (*read)(std::string_view text, std::string_view what);  // throws UsageError
  void (*set)(PredictionSetting&, double value);
  std::string (*text)(double value);
};
/// The visible table.
const std::vector<Quantity>& quantities();

struct Sweep {
  const Quantity* quantity;
  std::vector<double> values;  // ascending
};

/// "latency=0.1ms,1ms,10ms", or "latency=0.1ms:10ms" for 9 values between the two, evenly by
/// ratio; a range of numbers doubles. Throws UsageError, naming `what`.
Sweep parse_sweep(std::string_view text, std::string_view what);

struct SweepPoint {
  double value = 0.0;
  std::vector<Prediction> predictions;  // of each variant
  /// Index of the shortest sustained step of those that send messages; the first of equals, and of
  /// those that are not told apart by more than their errors; -1 when none sends any.
  int cheapest = -1;
};

/// Between two neighbouring values of the sweep the cheapest changes.
struct Crossing {
  double low = 0.0, high = 0.0;  // narrowed to 0.1 %, except where something is counted
  Variant before, after;
};

struct SweepResult {
  std::vector<SweepPoint> points;
  std::vector<Crossing> crossings;
};

SweepResult sweep(const Sweep& values, const std::vector<Variant>& variants,
                  const PredictionSetting& setting);

}  // namespace trainyard
