// A timeline as a GOAL schedule, as LogGOPSim (Hoefler, Schneider & Lumsdaine 2010) and ATLAHS read
// it.
//
//   num_ranks 2
//   rank 0 {
//   l0: recv 250000b from 1 tag 1
//   l1: calc 3000000
//   l2: send 250000b to 1 tag 0
//   l2 requires l1
//   }
//
// Times are whole nanoseconds. A message's tag is its place in the order of posts. What a rank does
// next begins after what it computed, and after every message that had arrived by then; of what it
// waited for otherwise, as a message without bytes that is free, the rest is a calc, too. Messages
// of a rank begin in their order. So the schedule is what one run did: of an asynchronous scheme,
// whose messages would come in another order on another network, it is one order of many.
//
// Where g = o = O = 0, L = α and G = β, LogGOPSim's rule is that of `--ports cutthrough`, but that
// it has s − 1 bytes for a message of s; circuit ports have no image in it.
//
// Threads: any; a function of its argument.
#pragma once

#include <string>

#include "trainyard/analysis/timeline.hpp"

namespace trainyard {

std::string goal_text(const Timeline& timeline);

}  // namespace trainyard
