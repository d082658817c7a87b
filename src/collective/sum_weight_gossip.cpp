#include "trainyard/collective/sum_weight_gossip.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

enum Tag : std::uint64_t { vector_and_share, goodbye };

}  // namespace

SumWeightGossip::SumWeightGossip(Communicator& comm, Vector vector)
    : comm_(comm),
      vector_(vector),
      share_(1.0 / comm.workers()),
      sent_(vector.scalar(), vector.size() + 1),
      still_sending_(comm.workers() - 1) {}

void SumWeightGossip::send(int to) {
  share_ /= 2;
  kernels::copy(vector_, sent_.view().first(vector_.size()));
  set_last(sent_.view(), share_);
  comm_.send(to, sent_.view(), vector_and_share);
}

void SumWeightGossip::receive(const Message& message) {
  if (message.tag() == goodbye) {
    --still_sending_;
    return;
  }
  const ConstVector pair = message.vector();
  const double theirs = last(pair);
  kernels::scale(share_ / (share_ + theirs), vector_);
  kernels::axpy(theirs / (share_ + theirs), pair.first(vector_.size()), vector_);
  share_ += theirs;
}

void SumWeightGossip::receive_arrived() {
  while (const auto message = comm_.poll_any()) receive(*message);
}

void SumWeightGossip::finish() {
  const int n = comm_.workers();
  for (int i = 1; i < n; ++i) {
    comm_.send((comm_.rank() + i) % n, vector_.first(0), goodbye);
  }
  while (still_sending_ > 0) {
    const auto message = comm_.receive_any();
    require(message.has_value(), "every worker says when it ends");
    receive(*message);
  }
}

}  // namespace trainyard
