// Functions that the makers of timelines share.
#pragma once

#include <functional>
#include <string>

#include "trainyard/analysis/timeline.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

/// Plays one program a rank in simulated time; shows the messages and not the programs, which only
/// wait for them.
Timeline timeline_of_programs(std::string title, int workers, int servers, const Network& network,
                              const std::function<void(Rank&)>& program);

}  // namespace trainyard
