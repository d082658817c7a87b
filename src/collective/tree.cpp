// Up and down a binomial tree of the workers, whose root is worker 0.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"

#include "collective/binomial_tree.hpp"

namespace trainyard {

void reduce_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  BinomialTree::of_workers(comm, loans).reduce(vector);
}

void broadcast(Communicator& comm, Vector vector) {
  Loans loans(comm);
  BinomialTree::of_workers(comm, loans).spread(vector);
}

void tree_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  BinomialTree tree = BinomialTree::of_workers(comm, loans);
  tree.reduce(vector);
  tree.spread(vector);
}

}  // namespace trainyard
