// A binomial tree (catalogue §3): in round r the places whose lowest set bit is 2^r hand their sums
// to the one 2^r below, and place 0 has the whole sum in the end; the broadcast goes the same way
// back. ⌈log2 p⌉ rounds each for p places, of any number; each message is the whole vector.
#pragma once

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class BinomialTree {
 public:
  /// A tree of the workers, the first of which is at place 0.
  static BinomialTree of_workers(Communicator& comm, Loans& loans) {
    return {comm, loans, comm.workers(), comm.rank(), 0};
  }
  /// A tree of server 0, at place 0, and all workers.
  static BinomialTree with_root(Communicator& comm, Loans& loans) {
    return {comm, loans, comm.workers() + 1, comm.rank() < comm.workers() ? comm.rank() + 1 : 0,
            -1};
  }

  /// Others than the root are left with partial sums.
  void reduce(Vector vector) {
    for (int reach = 1; reach < places_; reach *= 2) {
      if ((place_ & reach) != 0) {
        loans_.send(rank_at(place_ - reach), vector);
        return;
      }
      if (place_ + reach < places_) comm_.receive_add(rank_at(place_ + reach), vector);
    }
  }

  void spread(Vector vector) {
    int reach = 1;  // ends as the lowest set bit of the place; for the root beyond all places
    while (reach < places_ && (place_ & reach) == 0) reach *= 2;
    if (place_ != 0) comm_.receive_into(rank_at(place_ - reach), vector);
    for (reach /= 2; reach >= 1; reach /= 2) {
      if (place_ + reach < places_) loans_.send(rank_at(place_ + reach), vector);
    }
  }

 private:
  BinomialTree(Communicator& comm, Loans& loans, int places, int place, int first)
      : comm_(comm), loans_(loans), places_(places), place_(place), first_(first) {}

  int rank_at(int place) const { return first_ + place < 0 ? comm_.server(0) : first_ + place; }

  Communicator& comm_;
  Loans& loans_;
  int places_, place_;
  int first_;  // the worker at place 0; -1: that is server 0
};

}  // namespace trainyard
