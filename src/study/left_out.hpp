// Who of a group cannot run what is asked, in words; and what advice asks of a comparison's runs.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/comparison.hpp"
#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

/// "ssp: why", of each contestant that a comparison has left out.
std::vector<std::string> left_out(const Compared& compared);

/// A warning for each reason, so that it is heard with --quiet, too: the table will lack lines.
/// "ssp is skipped: why", or "2 are skipped, all as the first: ssp, ring; ssp: why" of those whose
/// reasons differ in nothing but their names.
std::vector<std::string> left_out_notes(const std::vector<LeftOut>& all);

/// Some run's model was at the target before the first step.
bool starts_at_target(const SeedStatistics& runs);

}  // namespace trainyard
