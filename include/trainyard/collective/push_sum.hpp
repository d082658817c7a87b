// Push-sum: averaging in which the sender alone decides how much it gives to whom, so that it works
// over directed graphs of any degrees, and with messages that are late (Kempe, Dobra & Gehrke, FOCS
// 2003; catalogue §4.2). A worker holds a vector u and a weight w, 1 at first, and gives away
// shares of both; z = u/w tends to the mean. Σu and Σw = n never change, what is on its way
// included.
//
// A message is u and w in one: one number more than the vector.
//
// Threads: each worker has its own, called by its thread or fiber alone. Only what says that it
// receives or finishes waits for others; such a call is unwound when another rank fails.
#pragma once

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/communicator.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

class PushSum {
 public:
  /// u = `vector`, w = 1, or what they were in an earlier leg of the run. They lie in `pair`, one
  /// number longer and zero at first, which outlives it.
  PushSum(Vector pair, ConstVector vector);

  Vector u() const { return pair_.first(pair_.size() - 1); }
  double weight() const;
  /// z = u/w.
  void estimate(Vector z) const;

  /// Gives each out-neighbour j the share W_ji of u and w, and keeps what is left. REQUIRES: the
  /// columns of W add up to 1.
  void send(Communicator& comm, const MixingRow& row);
  /// Takes what each in-neighbour has sent. What is lost for good is missing from then on.
  void receive(Communicator& comm, const MixingRow& row);

 private:
  Vector pair_;
  VectorBuffer sent_;
};

}  // namespace trainyard
