// Up and down a binomial tree of the workers, whose root is worker 0.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"

#include "collective/binomial_tree.hpp"

namespace trainyard {

namespace {

WorkerRange all_workers(const Communicator& comm) {
  return {0, comm.workers()};
}

}  // namespace

void reduce_sum(Communicator& comm, Vector vector, WorkerRange among) {
  Loans loans(comm);
  BinomialTree(comm, loans, among).reduce(vector);
}

void broadcast(Communicator& comm, Vector vector, WorkerRange among) {
  Loans loans(comm);
  BinomialTree(comm, loans, among).spread(vector);
}

void reduce_sum(Communicator& comm, Vector vector) {
  reduce_sum(comm, vector, all_workers(comm));
}

void broadcast(Communicator& comm, Vector vector) {
  broadcast(comm, vector, all_workers(comm));
}

void tree_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  BinomialTree tree(comm, loans, all_workers(comm));
  tree.reduce(vector);
  tree.spread(vector);
}

}  // namespace trainyard
