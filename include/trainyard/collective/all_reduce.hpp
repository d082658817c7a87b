// All-reduce: afterwards every worker holds the same bits, the mean over the workers.
// Called by all workers at the same point of their programs, with equal lengths.
#pragma once

#include <span>

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Reduce-scatter, then all-gather, on n chunks around the ring (Patarasuk & Yuan 2009; catalogue
/// §1.2, example 1.3). Each worker sends 2(n−1) messages of d/n floats; lock-step time
/// 2(n−1)(α + t/n).
struct Ring {};

void all_reduce_mean(Communicator& comm, std::span<float> vector, Ring);

}  // namespace trainyard
