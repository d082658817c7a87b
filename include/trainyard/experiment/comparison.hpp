// The same run under several schemes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainyard/experiment/experiment.hpp"

namespace trainyard {

/// Called before each scheme's run and after it.
struct ComparisonHooks {
  std::function<void(const Configuration& resolved)> begins;
  std::function<void(const RunResult&)> ended;
  RunHooks run;
};

/// Runs each scheme on the same data, seed, budget, clock and network. Without a target loss, the
/// target is the loss that every scheme reached (the worst of their best; schemes that diverged or
/// were interrupted left out), so that times can be compared. It is known only at the end: `ended`
/// is told of a run without a target. An interrupt ends the comparison after the run under way,
/// with the results so far.
std::vector<RunResult> run_comparison(const Configuration& configuration,
                                      const std::vector<std::string>& schemes,
                                      const LoadedData& data, const ComparisonHooks& hooks);

}  // namespace trainyard
