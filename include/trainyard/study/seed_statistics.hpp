// Statistics over seeds: mean and spread of every figure of a summary.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

struct SampleStatistics {
  double mean = 0.0;
  /// √(Σ (x − mean)² / (K − 1)), of the sample; empty for one value.
  std::optional<double> deviation;
  std::size_t count = 0;
};

/// The runs of one contestant at one point of the grid, one for each seed. Those that were
/// interrupted are left out if there is any other.
struct SeedStatistics {
  std::string label;
  std::vector<OptionText> varied;
  std::vector<std::uint64_t> seeds;
  std::vector<const Summary*> summaries;         // as long
  std::size_t diverged = 0, reached_target = 0;  // so many of them
};

/// One for each contestant and point, in the order in which they first come; points into `results`.
std::vector<SeedStatistics> seed_statistics(const std::vector<RunResult>& results);

/// Over the summaries that have the figure; empty when none has.
std::optional<SampleStatistics> statistics_of(
    const std::vector<const Summary*>& summaries,
    FunctionRef<std::optional<double>(const Summary&)> number);
std::optional<SampleStatistics> statistics_of(const std::vector<const Summary*>& summaries,
                                              const Figure& figure);

}  // namespace trainyard
