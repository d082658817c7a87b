// The cost of a barrier when control traffic is charged.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <vector>

#include "trainyard/network/links.hpp"

namespace trainyard {

/// When each of n ranks leaves a dissemination barrier (Hensgen, Finkel & Manber 1988) that they
/// came to at `arrivals`: in round k every rank tells the one 2^k further on and waits for the one
/// 2^k before it, for ⌈log2 n⌉ rounds. All at once on equal links it takes ⌈log2 n⌉ α (catalogue
/// §1.2). Its messages carry no bytes; they take their link's latency without jitter and hold no
/// port. Nobody leaves before the last has come.
std::vector<Time> dissemination_barrier(const Links& links, std::span<const Time> arrivals);

}  // namespace trainyard
