#include "trainyard/collective/pairwise_average.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

// A question and a goodbye carry no bytes.
enum Tag : std::uint64_t { question, offer, mean, goodbye };

}  // namespace

PairwiseAverage::PairwiseAverage(Communicator& comm, Vector vector, std::vector<int> neighbours)
    : comm_(comm),
      vector_(vector),
      neighbours_(std::move(neighbours)),
      still_asking_(neighbours_.size()) {
  waiting_.reserve(neighbours_.size() + 1);  // each has one wish at a time
}

void PairwiseAverage::take(const Message& message) {
  const int from = message.from();
  switch (message.tag()) {
    case question:
      // An offer that is on its way there answers it. Had that been taken before the question was
      // asked, the mean would have come first.
      if (bound_to_ != from) put_off(from, none);
      break;
    case offer:
      if (bound()) {
        put_off(from, kept(message.vector()));
      } else {
        take_offer(from, message.vector());
      }
      break;
    case mean:
      kernels::copy(message.vector(), vector_);
      bound_to_ = nobody;
      break;
    default:
      --still_asking_;
  }
}

/// REQUIRES: not bound. Both ends get the bits of one mean.
void PairwiseAverage::take_offer(int from, ConstVector vector) {
  kernels::move_towards(0.5, vector, vector_);
  comm_.send(from, vector_, mean);
  if (wish_ == from) wish_ = nobody;
}

void PairwiseAverage::put_off(int rank, std::size_t place) {
  waiting_.push_back({rank, place});
}

/// The place of a copy in offers_. There are as many as had to wait at once.
std::size_t PairwiseAverage::kept(ConstVector vector) {
  if (spare_.empty()) {
    spare_.push_back(offers_.size());
    offers_.emplace_back(vector.scalar(), vector.size());
  }
  const std::size_t place = spare_.back();
  spare_.pop_back();
  kernels::copy(vector, offers_[place].view());
  return place;
}

/// REQUIRES: not bound. It grants the rank's question and the own wish at once, if both are there.
void PairwiseAverage::offer_to(int rank) {
  comm_.send(rank, vector_, offer);
  bound_to_ = rank;
  if (wish_ == rank) wish_ = nobody;
  std::erase_if(waiting_, [rank](const Waiting& each) { return each.rank == rank; });
}

/// REQUIRES: somebody waits, and the rank is not bound.
void PairwiseAverage::serve_first() {
  const Waiting first = waiting_.front();
  waiting_.erase(waiting_.begin());
  if (first.offer == none) {
    offer_to(first.rank);
  } else {
    take_offer(first.rank, offers_[first.offer].view());
    spare_.push_back(first.offer);
  }
}

void PairwiseAverage::serve(const Message& message) {
  take(message);
  serve_waiting();
}

void PairwiseAverage::serve_waiting() {
  while (!bound() && !waiting_.empty()) serve_first();
}

void PairwiseAverage::receive() {
  const auto message = comm_.receive_any();
  require(message.has_value(), "who is asked answers");
  take(*message);
}

void PairwiseAverage::with(int neighbour) {
  wish_ = neighbour;
  if (neighbour > comm_.rank()) {
    comm_.send(neighbour, vector_.first(0), question);
  } else {
    put_off(neighbour, none);
  }
  while (true) {
    while (!bound() && wish_ != nobody && !waiting_.empty()) serve_first();
    if (!bound() && wish_ == nobody) return;
    receive();
  }
}

void PairwiseAverage::finish() {
  for (const int neighbour : neighbours_) {
    comm_.send(neighbour, vector_.first(0), goodbye);
  }
  // A goodbye comes after the last message of whatever its sender wished for.
  while (true) {
    serve_waiting();
    if (still_asking_ == 0) return;
    receive();
  }
}

}  // namespace trainyard
