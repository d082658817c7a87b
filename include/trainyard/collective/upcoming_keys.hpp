// The keys of a worker's minibatches: a key is a feature, and a minibatch has those in which one of
// its rows is not 0. A worker looks at its next minibatches before their turn to say which keys of
// the model it needs for them.
//
// Threads: belongs to its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/data/touched.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

class UpcomingKeys {
 public:
  /// It is told of all minibatches, of each before it is taken. REQUIRES: GradientShape::key_width
  /// > 0; `worker` outlives it.
  explicit UpcomingKeys(Worker& worker);

  /// The keys of the minibatches that were taken since forget_taken(). Valid until the next call.
  const Features& taken();
  void forget_taken();
  /// The keys of this many of the next minibatches. Valid until the next call.
  const Features& next(std::size_t minibatches);
  /// Looks at this many of the next minibatches, so that they may be taken.
  void look_ahead(std::size_t minibatches);

 private:
  std::size_t unforgotten() const {
    return static_cast<std::size_t>(worker_.minibatches().taken() - forgotten_);
  }
  void gather(std::size_t first, std::size_t count, Features& into);

  Worker& worker_;
  TouchedFeatures marks_;
  std::vector<Features> known_;  // of each minibatch that is not forgotten, and of some to come
  std::vector<Features> spare_;  // memory for more
  std::uint64_t forgotten_ = 0;  // minibatches
  Features taken_, next_;
};

}  // namespace trainyard
