#include "trainyard/collective/pairwise_average.hpp"

#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

enum Tag : std::uint64_t { request, answer, goodbye };

}  // namespace

PairwiseAverage::PairwiseAverage(Communicator& comm, Vector vector, std::vector<int> neighbours)
    : comm_(comm),
      vector_(vector),
      neighbours_(std::move(neighbours)),
      asked_with_(vector.scalar(), vector.size()),
      still_asking_(neighbours_.size()) {}

void PairwiseAverage::serve(const Message& message) {
  switch (message.tag()) {
    case request:
      if (message.from() == asked_) {  // both asked at once, and both know
        take_answer(message);
        break;
      }
      comm_.send(message.from(), vector_, answer);
      kernels::scale(0.5, vector_);
      kernels::axpy(0.5, message.vector(), vector_);
      break;
    case answer:
      take_answer(message);
      break;
    default:
      --still_asking_;
  }
}

void PairwiseAverage::take_answer(const Message& message) {
  kernels::axpy(0.5, message.vector(), vector_);
  kernels::axpy(-0.5, asked_with_.view(), vector_);
  asked_ = nobody;
}

void PairwiseAverage::with(int neighbour) {
  kernels::copy(vector_, asked_with_.view());
  asked_ = neighbour;
  comm_.send(neighbour, vector_, request);
  while (asked_ != nobody) {
    const auto message = comm_.receive_any();
    require(message.has_value(), "who is asked answers");
    serve(*message);
  }
}

void PairwiseAverage::finish() {
  for (const int neighbour : neighbours_) {
    comm_.send(neighbour, vector_.first(0), goodbye);
  }
  while (still_asking_ > 0) {
    const auto message = comm_.receive_any();
    require(message.has_value(), "every neighbour says when it ends");
    serve(*message);
  }
}

}  // namespace trainyard
