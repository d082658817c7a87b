// A worker's minibatches, also those that it looks at before their turn.
#include <iterator>

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

/// Where a worker has several shares, its minibatch is one from each of them.
Batch Worker::draw_of_shares() {
  if (streams_.size() == 1) return fetched(streams_.front().next());
  ranges_.clear();
  for (MinibatchStream& stream : streams_) {
    const Batch part = stream.next();
    ranges_.insert(ranges_.end(), part.begin(), part.end());
  }
  return fetched(ranges_);
}

Batch Worker::next_of_shares() {
  ++taken_;
  if (ahead_.empty()) return draw_of_shares();
  spare_.splice(spare_.end(), last_taken_);
  last_taken_.splice(last_taken_.end(), ahead_, ahead_.begin());
  return last_taken_.front();
}

Batch Worker::upcoming_minibatch(std::size_t after) {
  own_stream_ = nullptr;  // which knows nothing of those that were drawn
  while (ahead_.size() <= after) {
    const Batch drawn = draw_of_shares();
    if (spare_.empty()) spare_.emplace_back();
    spare_.front().assign(drawn.begin(), drawn.end());
    ahead_.splice(ahead_.end(), spare_, spare_.begin());
  }
  return *std::next(ahead_.begin(), static_cast<std::ptrdiff_t>(after));
}

}  // namespace trainyard
