// What a comparison that advice asks for says of its runs, for who tells people by it.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/comparison.hpp"
#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

/// "ssp: why", of each contestant that a comparison has skipped.
std::vector<std::string> left_out(const ComparisonRequest& runs, const std::vector<Note>& notes);

/// Some run's model was at the target before the first step.
bool starts_at_target(const SeedStatistics& runs);

}  // namespace trainyard
