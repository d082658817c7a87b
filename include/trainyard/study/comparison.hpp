// The same run under several schemes.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of a run is given to ComparisonHooks::failed, or rethrown where there is none.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Called before each scheme's run and after it.
struct ComparisonHooks {
  std::function<void(const Configuration& resolved)> begins;
  std::function<void(const RunResult&)> ended;
  RunHooks run;
  /// A run threw: the comparison goes on with the next scheme, unless it was interrupted. Without
  /// this hook, the exception is rethrown.
  std::function<void(std::exception_ptr)> failed{};
};

struct ComparisonOptions {
  int seeds = 1;         // how many comparisons, with seeds s, s + 1, …
  bool tune_lr = false;  // each scheme at its own best step size (tuning.hpp)
};

/// Runs each scheme on the same data, budget, clock and network, with one seed after the other,
/// each of them a comparison by itself. (Generated data are the same for all: they follow
/// --data-seed.) A scheme's step size is tuned once, before its first run, with the first seed.
///
/// Without a target loss, the target is the loss that every scheme reached with that seed (the
/// worst of their best; schemes that diverged or were interrupted left out), so that times can be
/// compared. It is known only at the end: `ended` is told of a run without a target. An interrupt
/// ends the comparison after the run under way, with the results so far. With several seeds results
/// lack their models once `ended` has been told.
std::vector<RunResult> run_comparison(const Configuration& configuration,
                                      const std::vector<std::string>& schemes,
                                      const LoadedData& data, const ComparisonHooks& hooks,
                                      const ComparisonOptions& options = {});

/// The configuration with the k-th seed: of several, each has its own place for results.
Configuration with_seed(const Configuration& configuration, int k,
                        const ComparisonOptions& options);

}  // namespace trainyard
