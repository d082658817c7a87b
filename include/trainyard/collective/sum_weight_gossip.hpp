// Sum-weight gossip: now and then a worker gives half its share of the truth away, with its vector
// (Blot, Picard, Cord & Thome 2016; catalogue §4.2). Each has a share a of it, 1/n at first. Who
// receives ⟨x, a⟩ takes the weighted mean and the share:
//   x_i ← (a_i x_i + a x)/(a_i + a),  a_i ← a_i + a.
// Σa = 1 and Σ a x never change, what is on its way included. Nobody waits for anybody.
//
// A message is x and a in one: one number more than the vector.
//
// Threads: each worker has its own, called by its thread or fiber alone. Only what says that it
// receives or finishes waits for others; such a call is unwound when another rank fails.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class SumWeightGossip {
 public:
  /// `vector` is this worker's, kept by reference.
  SumWeightGossip(Communicator& comm, Vector vector);

  double share() const { return share_; }
  /// To any other worker.
  void send(int to);
  /// Takes in what has arrived.
  void receive_arrived();
  /// The end: takes in all that is still on its way to it. Every worker calls it, and sends no
  /// more.
  void finish();

 private:
  void receive(const Message& message);
  void take(const Message& message);

  Communicator& comm_;
  Vector vector_;
  double share_;
  VectorBuffer sent_;
  std::vector<double> counts_;  // of messages to each worker: the own, its subtree's, all
  std::size_t subtrees_ = 0;    // whose counts have come
  bool counts_are_of_all_ = false;
  double taken_ = 0.0;  // messages
};

}  // namespace trainyard
