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

/// The second half of it, for who computes between the two: `vector` went to the out-neighbours
/// (send_to_neighbours) and is still what it was then.
void mix_in_neighbours(Communicator& comm, const MixingRow& row, Vector vector);

/// A row of (1 − share) I + share W: moves only that share of the way to the average. With one half
/// no eigenvalue is negative.
MixingRow lazy(MixingRow row, double share);

}  // namespace trainyard
