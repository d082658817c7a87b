// One round of partial averaging over a gossip graph: x_i ← Σ_j W_ij x_j.
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
#pragma once

#include "trainyard/runtime/communicator.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// `row` is this rank's row of W. Sends `vector` to every out-neighbour, then takes what the
/// in-neighbours sent, in the order of their messages. From lock-step it takes Δ(α + t) where
/// lockstep_rounds() has a Δ, and longer where messages wait for each other. The sum is taken in
/// the order of `row.receives`, whoever comes first.
///
/// Who sent something that is lost for good (Message::lost()) is left out, and its weight is that
/// of the rank's own vector: of a symmetric W what is left is symmetric again where both ways of a
/// link lose, as across a cut, and rows alone add up to 1 where one does, so that the mean of all
/// moves.
///
/// Any weights will do that add up to 1 with the rank's own, negative ones too. `scratch` is a
/// buffer that the caller keeps for it, empty at first; it gets the size of `vector` where a weight
/// is negative.
void neighbour_average(Communicator& comm, const MixingRow& row, Vector vector,
                       VectorBuffer& scratch);

/// The two halves of it, for who computes in between: what mix_in_neighbours() finds in `vector`
/// has to be what was sent.
void send_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector);
void mix_in_neighbours(Communicator& comm, const MixingRow& row, Vector vector,
                       VectorBuffer& scratch);

/// Instead of mixing: difference ← Σ_j W_ij (x_j − x_i), what mixing would add. What one end of a
/// link with equal weights gets is what the other loses, so that over all workers of a symmetric W
/// these add up to 0 but for the rounding of their sums.
void difference_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector,
                              Vector difference);

/// A row of (1 − share) I + share W: moves only that share of the way to the average. With one half
/// no eigenvalue is negative.
MixingRow lazy(MixingRow row, double share);

}  // namespace trainyard
