// Averaging between two workers at a time, whenever either wants to.
//
// Worker i sends its vector a; j answers with its own, b, and moves to (a + b)/2; when the answer
// comes, i moves by (b − a)/2. Where nothing else happens to i meanwhile, both hold the mean, as if
// they had been locked. Where i has answered somebody else in between, it still moves by what j has
// moved the other way: the sum over all workers, with what is on its way, never changes. Where i
// and j have asked each other at once, each takes the other's question for its answer. So i need
// not be locked while it waits: it goes on answering, and no order of requests can deadlock,
// whatever the graph. (Lian et al., ICML 2018, prevent deadlock by a bipartite graph whose one half
// only asks and whose other half only answers.)
//
//   PairwiseAverage average(comm, replica, neighbours);
//   while (…) {
//     … compute, handing what arrives to average.serve(message) …
//     average.with(some_neighbour);
//   }
//   average.finish();  // answers until nobody can ask any more
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class PairwiseAverage {
 public:
  /// `vector` is this worker's, kept by reference. `neighbours` are those that it may ask and those
  /// that may ask it.
  PairwiseAverage(Communicator& comm, Vector vector, std::vector<int> neighbours);

  /// Takes a message that came from a neighbour.
  void serve(const Message& message);
  /// Asks that neighbour, and serves others until it has answered: 2(α + t) if it is free.
  void with(int neighbour);
  /// Tells the neighbours that it asks no more, and serves them until none of them does.
  void finish();

 private:
  static constexpr int nobody = -1;

  void take_answer(const Message& message);

  Communicator& comm_;
  Vector vector_;
  std::vector<int> neighbours_;
  VectorBuffer asked_with_;  // a
  int asked_ = nobody;       // and has not answered yet
  std::size_t still_asking_;
};

}  // namespace trainyard
