// What the runs of a comparison say about each other: a common target, speed-ups.
//
// Threads: one at a time for the same runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Sets targets where none was given, and speed-ups over `sequential`, as run_comparison() says.
/// `remark` hears of times that are rough, and of runs that ended above the target again.
void relate(std::vector<RunResult>& results, const Remark& remark);

/// Warns of runs that were at their target by the first evaluation, as the straight line from the
/// start to it says little, and says how often one may look. Empty if there is none.
std::optional<std::string> early_arrivals(std::span<const RunResult> results);

}  // namespace trainyard
