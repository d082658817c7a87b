// All-reduce by the greatest instead of the sum. The greatest of a number and itself is that
// number, so it does not matter if a rank's numbers are taken in twice: unlike a sum it goes in
// ⌈log2 n⌉ rounds for any n, by dissemination (Hensgen, Finkel & Manber 1988).
//
// Threads: as of all_reduce.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/network/network.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// values_j ← the greatest values_j of all workers, with the same bits everywhere. A number that is
/// none is passed over. Called by all workers at the same point, with equal lengths.
void all_reduce_max(Communicator& comm, std::span<float> values);

/// How long that takes from lock-step over circuit ports: ⌈log2 n⌉(α + t).
Duration all_reduce_max_time(int workers, std::size_t length, MessageTime message);

}  // namespace trainyard
