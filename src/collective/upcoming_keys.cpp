#include "trainyard/collective/upcoming_keys.hpp"

#include <iterator>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

UpcomingKeys::UpcomingKeys(Worker& worker)
    : worker_(worker), marks_(worker.replica().size() / worker.gradient_shape().key_width) {
  look_ahead(1);
}

void UpcomingKeys::look_ahead(std::size_t minibatches) {
  while (known_.size() < unforgotten() + minibatches) {
    marks_.add(worker_.minibatches().upcoming(known_.size() - unforgotten()));
    if (spare_.empty()) spare_.emplace_back();
    marks_.take(spare_.back());
    known_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
}

void UpcomingKeys::gather(std::size_t first, std::size_t count, Features& into) {
  require(first + count <= known_.size(), "a minibatch was taken that was not looked at");
  if (count == 1) {
    into = known_[first];
    return;
  }
  for (std::size_t i = 0; i < count; ++i) marks_.add(known_[first + i]);
  marks_.take(into);
}

const Features& UpcomingKeys::taken() {
  gather(0, unforgotten(), taken_);
  return taken_;
}

void UpcomingKeys::forget_taken() {
  const auto end = known_.begin() + static_cast<std::ptrdiff_t>(unforgotten());
  spare_.insert(spare_.end(), std::make_move_iterator(known_.begin()),
                std::make_move_iterator(end));
  known_.erase(known_.begin(), end);
  forgotten_ = worker_.minibatches().taken();
}

const Features& UpcomingKeys::next(std::size_t minibatches) {
  look_ahead(minibatches);
  gather(unforgotten(), minibatches, next_);
  return next_;
}

}  // namespace trainyard
