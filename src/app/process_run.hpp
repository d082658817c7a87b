// A run whose ranks are processes, each of which has this command: they agree on what is asked for,
// what they have read and whether each of them can begin.
//
// Threads: the main one of each process.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/runtime/processes.hpp"

namespace trainyard::app {

/// The exit status. The leading process prints and writes the results. Throws in all processes
/// where one of them fails.
int run_among(const Configuration& configuration, Processes& processes);

}  // namespace trainyard::app
