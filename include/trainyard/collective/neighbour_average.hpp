// One round of partial averaging over a gossip graph: x_i ← Σ_j W_ij x_j.
#pragma once

#include <span>

#include "trainyard/runtime/communicator.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// `row` is this rank's row of W. Sends `vector` to every out-neighbour, then takes what the
/// in-neighbours sent, both by offset rounds; lock-step time Δ(α + t) with Δ the largest degree.
/// The sum is taken in a fixed order: own, then by distance.
void neighbour_average(Communicator& comm, const MixingRow& row, Vector vector);

}  // namespace trainyard
