// Who is fastest around the point that advice is asked about: with other latencies and bandwidths.
//
// Threads: the calling one, and those that predictions start, which have ended when it returns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/study/target_times.hpp"

namespace trainyard {

struct AdviceCell {
  std::string first{};  // its label
  double step_s = 0.0;  // of it
  double ahead = 1.0;   // so many times as fast as the next
};

struct AdviceMap {
  std::vector<double> latencies_s{};       // of the columns, ascending
  std::vector<double> bytes_per_second{};  // of the rows, ascending
  std::vector<AdviceCell> cells{};         // row by row
  /// By the passes that were measured; otherwise by the steps of those that learn as one.
  bool by_passes = false;
};

/// A sixteenth to sixteen times the setting's latency and bandwidth, in five columns and rows.
/// Empty where either has no size to multiply, or times are drawn, and between racks, whose links
/// are others. `times`: nullptr where nothing was trained; its passes are taken to be the same on
/// other links.
std::optional<AdviceMap> advice_map(const AdviceQuestion& question, const Advice& advice,
                                    const TargetTimes* times);

}  // namespace trainyard
