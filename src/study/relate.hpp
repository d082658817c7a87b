// What the runs of a comparison say about each other: a common target, speed-ups.
#pragma once

#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Sets targets where none was given, and speed-ups over `sequential`, as run_comparison() says.
/// `remark` hears of times that are rough, and of runs that ended above the target again.
void relate(std::vector<RunResult>& results, const Remark& remark);

}  // namespace trainyard
