// Binomial tree: in round r the workers whose lowest set bit is 2^r hand their sums to the one 2^r
// below (catalogue §3); the broadcast goes the same way back. ⌈log2 n⌉ rounds each, for any n; each
// message is the whole vector.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

void reduce(Communicator& comm, Loans& loans, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  for (int reach = 1; reach < n; reach *= 2) {
    if ((rank & reach) != 0) {
      loans.send(rank - reach, vector);
      return;
    }
    if (rank + reach < n) comm.receive_add(rank + reach, vector);
  }
}

void spread(Communicator& comm, Loans& loans, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  int reach = 1;  // ends as the lowest set bit of the rank; for worker 0 beyond n
  while (reach < n && (rank & reach) == 0) reach *= 2;
  if (rank != 0) comm.receive_into(rank - reach, vector);
  for (reach /= 2; reach >= 1; reach /= 2) {
    if (rank + reach < n) loans.send(rank + reach, vector);
  }
}

}  // namespace

void reduce_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  reduce(comm, loans, vector);
}

void broadcast(Communicator& comm, Vector vector) {
  Loans loans(comm);
  spread(comm, loans, vector);
}

void tree_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  reduce(comm, loans, vector);
  spread(comm, loans, vector);
}

}  // namespace trainyard
