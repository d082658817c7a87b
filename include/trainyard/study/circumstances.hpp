// The circumstances of a comparison's runs, which they do not choose: the network between the
// machines and, if the grid varies them, the data, the model and the machines. "First at the
// target" is an answer to somebody who has one of each; on another network another scheme may be.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Varied by the grid, or of the network, if the scheme heeds it and no contestant has it for
/// itself (who has a network of its own is compared with it). By name.
std::vector<OptionText> circumstances_of(const RunResult& result);

/// Runs that found the same.
struct SameCircumstances {
  std::string text;  // "latency 1ms": what differs from the others'; empty of the only ones
  std::vector<std::size_t> runs;  // indices
};

/// In the order in which they first come. A run that does not heed what the others do (`sequential`
/// beside two networks) is in all that agree with it in the rest.
std::vector<SameCircumstances> by_circumstances(const std::vector<std::vector<OptionText>>& runs);

}  // namespace trainyard
