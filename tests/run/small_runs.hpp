// Runs that take milliseconds: a dense logistic problem of a few hundred rows, in simulated time.
#pragma once

#include "trainyard/run/run.hpp"

namespace trainyard {

/// 600 training and 100 test rows, 20 features.
LoadedData small_data();
/// Four workers, minibatches of 10, 1 ms each, no network: 15 steps are an epoch.
Configuration small_configuration(const std::string& scheme);
/// Resolves and runs.
RunResult run_small(const Configuration& configuration, const RunHooks& hooks = {});

/// Some note of the result has these words.
bool says(const RunResult& result, const std::string& words);
/// Checks that the parts of each rank's time are the run's.
void check_adds_up(const RunResult& result);

}  // namespace trainyard
