// Parameter servers on the workers themselves: worker w is the server of part w. All parts go to
// their servers, the sums go back to all. As many bytes and latencies as the ring, but every
// message goes straight.
//
// The order matters: in round r worker w sends to w + r, so that every receive port is wanted once
// a round. If all began with part 0, the exchange would take 1.5 times as long (catalogue §1.2).
#include <algorithm>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void colocated_servers_sum(Communicator& comm, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  const auto part = [&](int owner) { return even_split(vector, owner, n); };
  Loans loans(comm);  // of a part, to its owner, whose sum it has gone into when that overwrites it
  for (int round = 1; round < n; ++round) {
    const int owner = (rank + round) % n;
    loans.send(owner, part(owner));
  }
  for (int round = 1; round < n; ++round) {
    comm.receive_add((rank - round + n) % n, part(rank));
  }
  for (int round = 1; round < n; ++round) loans.send((rank + round) % n, part(rank));
  for (int round = 1; round < n; ++round) {
    const int owner = (rank - round + n) % n;
    comm.receive_into(owner, part(owner));
  }
}

void all_to_all(Communicator& comm, ConstVector outgoing, Vector incoming) {
  const int n = comm.workers();
  const int rank = comm.rank();
  kernels::copy(even_split(outgoing, rank, n), even_split(incoming, rank, n));
  Loans loans(comm);
  for (int round = 1; round < n; ++round) {
    const int to = (rank + round) % n;
    loans.send(to, even_split(outgoing, to, n));
  }
  for (int round = 1; round < n; ++round) {
    const int from = (rank - round + n) % n;
    comm.receive_into(from, even_split(incoming, from, n));
  }
}

}  // namespace trainyard
