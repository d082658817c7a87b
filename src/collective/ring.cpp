// The ring: bandwidth-optimal and simple. Each of the n parts travels once around to be summed and
// once to be spread, so a worker sends 2(n−1)/n of the vector whatever n is; the price is 2(n−1)
// latencies (catalogue §1.2, example 1.3).
//
// A part's sum is always taken in the order of the ring, ending at the worker that owns it, and
// that worker's result is copied to all others: so all end with the same bits, whichever message
// arrives first.
#include "collective/ring.hpp"

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

/// The parts one after another, against the ring's direction.
class PartsBackwards {
 public:
  /// Begins with the part of that index.
  PartsBackwards(Vector vector, int index, int parts)
      : vector_(vector),
        index_(index),
        parts_(parts),
        begin_(even_cut(vector.size(), index, parts)),
        end_(even_cut(vector.size(), index + 1, parts)) {}

  Vector part() const { return vector_.subspan(begin_, end_ - begin_); }
  /// Goes to the part before this one, around the ring, and gives it.
  Vector before() {
    end_ = index_ == 0 ? vector_.size() : begin_;
    index_ = (index_ == 0 ? parts_ : index_) - 1;
    begin_ = even_cut(vector_.size(), index_, parts_);
    return part();
  }

 private:
  Vector vector_;
  int index_, parts_;
  std::size_t begin_, end_;  // one division a step instead of two
};

}  // namespace

Ring ring_of_all(const Communicator& comm) {
  const int n = comm.workers(), rank = comm.rank();
  return {.workers = n,
          .place = rank,
          .next = rank + 1 == n ? 0 : rank + 1,
          .previous = rank == 0 ? n - 1 : rank - 1};
}

/// A part is added to before it is lent, and not after.
void reduce_scatter(Communicator& comm, Loans& loans, const Ring& ring, Vector vector) {
  const int before = ring.place == 0 ? ring.workers - 1 : ring.place - 1;
  PartsBackwards parts(vector, before, ring.workers);
  Vector sent = parts.part();
  for (int step = 1; step < ring.workers; ++step) {
    loans.send(ring.next, sent);
    sent = parts.before();  // what was summed in this step is sent in the next
    comm.receive_add(ring.previous, sent);
  }
}

/// A part that was lent to be summed is overwritten by its sum, which the next worker's reading of
/// it has gone into.
void gather(Communicator& comm, Loans& loans, const Ring& ring, Vector vector) {
  PartsBackwards parts(vector, ring.place, ring.workers);
  Vector sent = parts.part();
  for (int step = 0; step < ring.workers - 1; ++step) {
    loans.send(ring.next, sent);
    sent = parts.before();  // what has come in this step is sent in the next
    comm.receive_into(ring.previous, sent);
  }
}

void reduce_scatter_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  reduce_scatter(comm, loans, ring_of_all(comm), vector);
}

void all_gather(Communicator& comm, Vector vector) {
  Loans loans(comm);
  gather(comm, loans, ring_of_all(comm), vector);
}

void ring_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  reduce_scatter(comm, loans, ring_of_all(comm), vector);
  gather(comm, loans, ring_of_all(comm), vector);
}

}  // namespace trainyard
