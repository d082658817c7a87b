// What the runs of a comparison say about each other: a common target, speed-ups.
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

/// Of runs that were at their target by the first evaluation, between which and the start the
/// straight line says little: a warning, and how often one may look. Empty where there is none.
std::optional<std::string> early_arrivals(std::span<const RunResult> results);

}  // namespace trainyard
