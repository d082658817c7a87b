// Rings in two levels: the workers of a group reduce-scatter their vectors around a ring of their
// own, those with the same part in all groups sum it around a ring between the groups, and each
// group gathers the sums. Horovod's hierarchical all-reduce (Sergeev & Del Balso 2018; a group is a
// machine there). A worker sends 2(n−1)/n of the vector as around one ring, but waits for
// 2(g−1) + 2(G−1) latencies instead of 2(n−1); and only a g-th of the vector leaves each worker's
// group. Groups are neighbouring ranks, g each, near √n so that the latencies are fewest; a prime
// number of workers has no such groups, and is one ring. So are fewer numbers than workers.
//
// Of short vectors that do not divide evenly, who has fewer numbers in its part is done between the
// groups while its neighbour is still at it there, whose port it would hold: all wait for all, with
// a barrier, which is free.
#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/short_parts.hpp"

#include "collective/ring.hpp"

namespace trainyard {

int workers_of_group(int workers) {
  int largest = 1;
  for (int g = 2; g * g <= workers; ++g) {
    if (workers % g == 0) largest = g;
  }
  return largest;
}

void hierarchical_ring_sum(Communicator& comm, Vector vector) {
  if (vector.size() < static_cast<std::size_t>(comm.workers())) return ring_sum(comm, vector);
  const int members = workers_of_group(comm.workers()), groups = comm.workers() / members;
  const int group = comm.rank() / members, member = comm.rank() % members;
  const auto rank_of = [&](int of_group, int of_member) {
    return of_group % groups * members + of_member % members;
  };
  const Ring inside{.workers = members,
                    .place = member,
                    .next = rank_of(group, member + 1),
                    .previous = rank_of(group, member + members - 1)};
  const Ring between{.workers = groups,
                     .place = group,
                     .next = rank_of(group + 1, member),
                     .previous = rank_of(group + groups - 1, member)};
  const Vector own = even_split(vector, member, members);
  Loans loans(comm);
  reduce_scatter(comm, loans, inside, vector);
  reduce_scatter(comm, loans, between, own);
  gather(comm, loans, between, own);
  if (takes_turns(vector.size(), comm.workers(), comm.workers())) comm.barrier();
  gather(comm, loans, inside, vector);
}

}  // namespace trainyard
