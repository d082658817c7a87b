// The curves of a comparison as a figure for documents: SVG, one file, without a browser.
//
// Threads: any; it returns text and touches nothing else.
#pragma once

#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// The training loss of each run against the run's clock, from 0 to where the last of them ended,
/// and from the least loss to the largest first one: what is above is cut. A run is a line through
/// its evaluations; those of one contestant and point have one colour, and a name beside. A point
/// that is not finite interrupts its line; the target loss, where there is one, is a dashed line.
/// REQUIRES: there are some.
std::string curves_svg(const std::vector<RunResult>& runs, const std::string& title);

}  // namespace trainyard
