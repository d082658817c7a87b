// The ring without parts: the whole vector goes around once to collect the sum, from worker 0 to
// n−1, and once more to spread it. One message is under way at a time: 2(n−1)(α + t). What the
// partition of the ring gains is the difference.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void ring_unpartitioned_sum(Communicator& comm, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  if (n == 1) return;
  const int next = (rank + 1) % n;
  const int previous = (rank + n - 1) % n;

  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  if (rank > 0) comm.receive_add(previous, vector);
  loans.send(next, vector);  // worker n−1 has the sum, and sends it on to 0
  if (rank == n - 1) return;
  comm.receive_into(previous, vector);
  if (rank < n - 2) loans.send(next, vector);
}

}  // namespace trainyard
