// Collectives other than all-reduce, over the workers (ranks 0 .. n−1). Each is called by all of
// them at the same point of their programs, with equal lengths; any n ≥ 1, any length, zero
// included.
//
// t is the time the whole vector takes on the wire, α the latency. Schedules go by offset rounds
// (catalogue §1.2): no two messages of a round want the same port.
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
#pragma once

#include <cstdint>
#include <span>

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Worker 0's vector to all, down a binomial tree: ⌈log2 n⌉(α + t).
void broadcast(Communicator& comm, Vector vector);

/// The sum over workers to worker 0, up a binomial tree: ⌈log2 n⌉(α + t). The others' vectors are
/// left with partial sums. The order of summation is the tree's, whatever arrives first.
void reduce_sum(Communicator& comm, Vector vector);

/// Afterwards part w of worker w's vector (even_split(vector, w, n)) is the sum over workers; the
/// other parts are left with partial sums. Around the ring: (n−1)(α + t/n).
void reduce_scatter_sum(Communicator& comm, Vector vector);

/// Part w of worker w's vector goes to all. Around the ring: (n−1)(α + t/n).
void all_gather(Communicator& comm, Vector vector);

/// Part j of `outgoing` goes to worker j; part i of `incoming` comes from worker i. In round r
/// worker w sends to w + r: (n−1)(α + t/n). The spans do not overlap.
void all_to_all(Communicator& comm, ConstVector outgoing, Vector incoming);

}  // namespace trainyard
