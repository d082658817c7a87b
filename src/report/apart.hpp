// Contestants that share memory on one machine, beside others over a network between machines
// (run/one_machine.hpp): how a table has them.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/run/run.hpp"
#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

/// Runs that stand apart come last.
std::vector<SeedStatistics> contestants_of(const std::vector<RunResult>& results);

/// Which they are, and why; empty without any.
std::string apart_sentence(const std::vector<SeedStatistics>& all);

}  // namespace trainyard
