// Who came to the target before anybody had heard of anybody: what is at the target then is the
// average of models that were trained apart, which no worker holds.
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
