// Where nobody knows who writes to whom, the end needs care: nobody may leave while something is on
// its way to him. If everybody told everybody that he is done, 1024 workers would need a million
// messages for it. Instead each counts what it sent to whom, the counts are added up along a binary
// tree of ranks and the sums come back the same way: 2(n − 1) messages of n numbers, after which
// each knows how many there are for it.
#include "trainyard/collective/sum_weight_gossip.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

enum Tag : std::uint64_t { vector_and_share, counts_of_subtree, counts_of_all };

}  // namespace

SumWeightGossip::SumWeightGossip(Communicator& comm, Vector vector)
    : comm_(comm),
      vector_(vector),
      share_(1.0 / comm.workers()),
      sent_(vector.scalar(), vector.size() + 1),
      counts_(static_cast<std::size_t>(comm.workers()), 0.0) {}

void SumWeightGossip::send(int to) {
  kernels::copy(vector_, sent_.view().first(vector_.size()));
  set_last(sent_.view(), share_ / 2);
  share_ -= last(sent_.view());  // as it was rounded: none is lost, and some is always left
  comm_.send(to, sent_.view(), vector_and_share);
  counts_[static_cast<std::size_t>(to)] += 1.0;
}

void SumWeightGossip::take(const Message& message) {
  const ConstVector pair = message.vector();
  const double theirs = last(pair);
  kernels::move_towards(theirs / (share_ + theirs), pair.first(vector_.size()), vector_);
  share_ += theirs;
  ++taken_;
}

void SumWeightGossip::receive(const Message& message) {
  switch (message.tag()) {
    case vector_and_share:
      take(message);
      break;
    case counts_of_subtree:
      kernels::add(message.vector(), Vector(counts_));
      ++subtrees_;
      break;
    default:
      kernels::copy(message.vector(), Vector(counts_));
      counts_are_of_all_ = true;
  }
}

void SumWeightGossip::receive_arrived() {
  while (const auto message = comm_.poll_any()) receive(*message);
}

void SumWeightGossip::finish() {
  const int rank = comm_.rank();
  std::vector<int> children;
  for (const int child : {2 * rank + 1, 2 * rank + 2}) {
    if (child < comm_.workers()) children.push_back(child);
  }
  const auto receive_until = [&](auto&& done) {
    while (!done()) {
      const auto message = comm_.receive_any();
      require(message.has_value(), "every worker says what it sent");
      receive(*message);
    }
  };
  receive_until([&] { return subtrees_ == children.size(); });
  if (rank != 0) {
    comm_.send((rank - 1) / 2, ConstVector(counts_), counts_of_subtree);
    receive_until([&] { return counts_are_of_all_; });
  }
  for (const int child : children) comm_.send(child, ConstVector(counts_), counts_of_all);
  receive_until([&] { return taken_ == counts_[static_cast<std::size_t>(rank)]; });
}

}  // namespace trainyard
