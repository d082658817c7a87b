// Averaging between two workers at a time, whenever either wants to, as if in one instant: both
// then hold (x_i + x_j)/2 (Lian, Zhang, Zhang & Liu, ICML 2018).
//
// Of two that average the higher rank offers its vector and the lower one answers with the mean:
//   higher → lower  offer: x_higher. The higher rank changes its vector no more until the answer.
//   lower → higher  mean: the lower rank sets its vector to the mean when it answers.
// Whose wish it is makes one difference: if it is the lower rank's, it asks for the offer first,
// with a message without bytes, and is not bound while that is on its way. (So the centre of a
// star, rank 0, is never bound.)
//
// Why each averaging is atomic. A rank is bound from its offer to the answer, and while it is, puts
// off whatever would change its vector: offers and questions of others, and its own step. So what
// the lower rank averages with is what the higher one still has, and the two together do what one
// instant would: that of the answer. In the order of the answers, the models are products of
// averages ½(x_i + x_j), whatever the network does. (A rank that went on answering while it waits,
// and then moved by half of what it had asked for, would keep the sum as well, but give its own
// vector the weight 2^−k − ½ after k requests.)
//
// Why it cannot deadlock. Only a bound rank makes others wait, and it waits for a lower one: the
// lowest of those that are bound waits for one that is not, which answers, at once or when its
// minibatch is done. So every offer is answered, and what was put off goes on, first come first
// served; since each worker has at most one wish at a time, each is reached. These are locks taken
// in the order of ranks; Lian et al. take a bipartite graph whose one half only asks and whose
// other half only answers.
//
// If i and j wish for each other at once, it is one averaging: the offer that is on its way answers
// the question that meets it.
//
//   PairwiseAverage average(comm, replica, neighbours);
//   while (…) {
//     … compute, handing what arrives to average.serve(message) …
//     average.with(some_neighbour);
//     … change the replica …
//     average.serve_waiting();
//   }
//   average.finish();  // answers until nobody can ask any more
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
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
  /// Averages with that neighbour, and serves others until that is done: 2(α + t) if both are free.
  /// After it the vector is the caller's to change, until serve_waiting().
  void with(int neighbour);
  /// Serves those who were put off.
  void serve_waiting();
  /// Tells the neighbours that it asks no more, and serves them until none of them does.
  void finish();

 private:
  static constexpr int nobody = -1;

  /// Messages and wishes that wait until this rank is free: an offer from above, with its vector, a
  /// question from below, or the own wish to offer.
  struct Waiting {
    int rank;
    std::size_t offer;  // in offers_; none: a question, or the own wish
  };
  static constexpr std::size_t none = ~std::size_t{0};

  bool bound() const { return bound_to_ != nobody; }
  void take(const Message& message);
  void take_offer(int from, ConstVector vector);
  void put_off(int rank, std::size_t place);
  std::size_t kept(ConstVector vector);
  void offer_to(int rank);
  void serve_first();
  void receive();

  Communicator& comm_;
  Vector vector_;
  std::vector<int> neighbours_;
  int wish_ = nobody;                 // the neighbour that with() waits for
  int bound_to_ = nobody;             // who has this rank's offer and has not answered yet
  std::vector<Waiting> waiting_;      // first come first
  std::vector<VectorBuffer> offers_;  // of those in waiting_, and spare ones
  std::vector<std::size_t> spare_;    // of offers_
  std::size_t still_asking_;
};

}  // namespace trainyard
