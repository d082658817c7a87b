#include "trainyard/collective/concurrent_coded_mean.hpp"

#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/coded_parts.hpp"

namespace trainyard {

using namespace coded_parts;

ConcurrentCodedMean::ConcurrentCodedMean(Communicator& comm, Coder& coder)
    : comm_(comm),
      coder_(coder),
      has_answered_(static_cast<std::size_t>(comm.workers())),
      parts_(static_cast<std::size_t>(comm.workers())) {}

void ConcurrentCodedMean::start(Vector vector, Vector error, Vector own_error) {
  require(!is_under_way(), "a mean is started when the one before it is done");
  const int n = comm_.workers();
  vector_ = vector;
  own_ = even_split(vector, comm_.rank(), n);
  own_error_ = own_error;
  is_summing_ = true;
  next_ = 1;
  answers_missing_ = n - 1;
  has_answered_.assign(has_answered_.size(), false);
  for (int round = 1; round < n; ++round) {
    const int owner = ahead(comm_, round);
    comm_.send_encoded(owner,
                       encoded(coder_, even_split(vector, owner, n), error_of(error, owner, n)),
                       Tag::of_part);
  }
  // Its own part is encoded too: what everybody does to a part, its owner does.
  const auto mine = encoded(coder_, own_, error_of(error, comm_.rank(), n));
  kernels::set_to_zero(own_);
  coder_.decode_add(1.0 / n, mine, own_);
  add_up();
}

void ConcurrentCodedMean::take(Message& message) {
  coder_.defer_time();
  accept(message);
}

void ConcurrentCodedMean::finish() {
  settle();
  while (is_summing_) {
    Message message = comm_.receive(ahead(comm_, -next_));
    accept(message);
  }
  for (int round = 1; answers_missing_ > 0; ++round) {
    const int owner = ahead(comm_, -round);
    if (has_answered_[static_cast<std::size_t>(owner)]) continue;
    Message message = comm_.receive(owner);
    accept(message);
  }
}

/// A part of the next mean comes only from who has this worker's share of the present one, and so
/// never while it is still added up.
void ConcurrentCodedMean::accept(Message& message) {
  if (message.tag() == Tag::of_mean) return take_mean(message);
  parts_[static_cast<std::size_t>(message.from())].emplace(std::move(message));
  add_up();
}

/// As far as parts have come in their order, on which the bits depend.
void ConcurrentCodedMean::add_up() {
  if (!is_summing_) return;
  const int n = comm_.workers();
  for (; next_ < n; ++next_) {
    auto& arrived = parts_[static_cast<std::size_t>(ahead(comm_, -next_))];
    if (!arrived) return;
    coder_.decode_add(1.0 / n, arrived->bytes(), own_);
    arrived.reset();
  }
  send_mean();
}

void ConcurrentCodedMean::send_mean() {
  const auto wire = encoded(coder_, own_, own_error_);
  send_to_all(comm_, wire, Tag::of_mean);
  kernels::set_to_zero(own_);
  coder_.decode_add(1.0, wire, own_);
  is_summing_ = false;
}

void ConcurrentCodedMean::take_mean(const Message& message) {
  const Vector part = even_split(vector_, message.from(), comm_.workers());
  kernels::set_to_zero(part);
  coder_.decode_add(1.0, message.bytes(), part);
  has_answered_[static_cast<std::size_t>(message.from())] = true;
  --answers_missing_;
}

}  // namespace trainyard
