// The two halves of a ring all-reduce, around any circle of workers.
#pragma once

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// A circle of so many workers as one of them sees it, who has the place `place`, from 0.
struct Ring {
  int workers = 1, place = 0;
  int next = 0, previous = 0;  // their ranks
};

/// The ring of all workers, by rank.
Ring ring_of_all(const Communicator& comm);

/// Afterwards part `place` of the worker's vector is the sum over the ring; the other parts are
/// left with partial sums. (n−1)(α + t/n).
void reduce_scatter(Communicator& comm, Loans& loans, const Ring& ring, Vector vector);
/// Part `place` of each worker's vector goes to all. (n−1)(α + t/n).
void gather(Communicator& comm, Loans& loans, const Ring& ring, Vector vector);

}  // namespace trainyard
