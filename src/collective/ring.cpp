// The ring: bandwidth-optimal and simple. Each of the n parts travels once around to be summed and
// once to be spread, so a worker sends 2(n−1)/n of the vector whatever n is; the price is 2(n−1)
// latencies (catalogue §1.2, example 1.3).
//
// A part's sum is always taken in the order of the ring, ending at the worker that owns it, and
// that worker's result is copied to all others: so all end with the same bits, whichever message
// arrives first.
#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

struct Ring {
  int workers, rank;

  int next() const { return (rank + 1) % workers; }
  int previous() const { return (rank + workers - 1) % workers; }
  /// The part that lies `back` places behind this worker's own.
  Vector part(Vector vector, int back) const {
    return even_split(vector, ((rank - back) % workers + workers) % workers, workers);
  }
};

/// A part is added to before it is lent, and not after.
void reduce_scatter(Communicator& comm, Loans& loans, Vector vector) {
  const Ring ring{comm.workers(), comm.rank()};
  for (int step = 1; step < ring.workers; ++step) {
    loans.send(ring.next(), ring.part(vector, step));
    comm.receive_add(ring.previous(), ring.part(vector, step + 1));
  }
}

/// A part that was lent to be summed is overwritten by its sum, which the next worker's reading of
/// it has gone into.
void gather(Communicator& comm, Loans& loans, Vector vector) {
  const Ring ring{comm.workers(), comm.rank()};
  for (int step = 0; step < ring.workers - 1; ++step) {
    loans.send(ring.next(), ring.part(vector, step));
    comm.receive_into(ring.previous(), ring.part(vector, step + 1));
  }
}

}  // namespace

void reduce_scatter_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  reduce_scatter(comm, loans, vector);
}

void all_gather(Communicator& comm, Vector vector) {
  Loans loans(comm);
  gather(comm, loans, vector);
}

void ring_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  reduce_scatter(comm, loans, vector);
  gather(comm, loans, vector);
}

}  // namespace trainyard
