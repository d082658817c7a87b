// Runs that came to the target before any worker had heard of another: only the average of models
// that were trained apart is then at the target, and no worker holds it.
//
// Threads: any; functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// A run of several workers that talk, whose model is their replicas' average, and which was at the
/// target in less time than a message takes, or without one.
bool came_unheard(const Summary& summary);

/// Their names, as name_at() does, in the order in which they first come.
std::vector<std::string> unheard(std::span<const RunResult> results);

}  // namespace trainyard
