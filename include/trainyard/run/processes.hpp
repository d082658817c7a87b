// What a run asks of ranks that are processes, beyond what it asks of ranks that share memory.
//
// Threads: any; it is a function of its arguments.
#pragma once

#include "trainyard/run/plan.hpp"

namespace trainyard {

/// Throws UsageError, naming what is wrong and what is accepted, where a plan cannot be run by so
/// many processes: they are not its ranks, its workers share a model, it emulates a network or a
/// clock, or its collective is of all workers where the scheme has groups. REQUIRES: plan_run()
/// made it.
void check_processes(const Plan& plan, int processes);

}  // namespace trainyard
