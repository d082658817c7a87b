// Demands of a run on ranks that are processes, beyond those on ranks that share memory.
//
// Threads: any; each is a function of its arguments.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/processes.hpp"

namespace trainyard {

/// Throws UsageError, naming what is wrong and what is accepted, where a plan cannot be run by so
/// many processes: they are not its ranks, and the switch if it emulates a network; its clock is
/// simulated; a replica or shard of its model is too large for a message; or its collective is the
/// library's where the scheme has groups or the network is emulated. REQUIRES: plan_run() made it.
void check_processes(const Plan& plan, int processes);

/// Throws UsageError where workers that write to one model in memory are processes of several
/// hosts. REQUIRES: there is a process for each rank.
void check_hosts(const Plan& plan, const Hosts& hosts);

/// Called by all: the memory of each of the plan's shared models (SharedModels), if it has any.
/// REQUIRES: check_hosts() let it pass.
std::vector<std::span<std::byte>> share_models(const Plan& plan, Processes& processes);

}  // namespace trainyard
