#include "trainyard/runtime/passing.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

PassingMinibatches::PassingMinibatches(Worker& worker, std::size_t most)
    : worker_(worker), places_(most) {
  require(most > 0, "there is room for a minibatch");
}

Passing& PassingMinibatches::begin(Batch batch, ConstVector below, ConstVector weights) {
  require(count_ < places_.size(), "no more minibatches go forward than there is room for");
  const std::size_t place = (oldest_ + count_++) % places_.size();
  Passing& passing = places_[place];
  passing.batch.assign(batch.begin(), batch.end());
  if (longest_ == 0) longest_ = below.size();
  require(below.size() <= longest_, "the first minibatch of a stage has the most rows");
  if (passing.below.empty() && longest_ > 0) {
    passing.below = worker_.keep(fmt::format("activations({})", place), longest_);
  }
  kernels::copy(below, passing.below.first(below.size()));
  passing.weights = weights.empty() ? ConstVector(worker_.replica()) : weights;
  return passing;
}

Passing& PassingMinibatches::latest() {
  require(count_ > 0, "a minibatch is on its way");
  return places_[(oldest_ + count_ - 1) % places_.size()];
}

Passing& PassingMinibatches::oldest() {
  require(count_ > 0, "forward() comes before backward()");
  return places_[oldest_];
}

/// If none is left, the next one takes the first place, so that only as many places are filled as
/// are needed.
void PassingMinibatches::end_oldest() {
  require(count_ > 0, "forward() comes before backward()");
  oldest_ = --count_ == 0 ? 0 : (oldest_ + 1) % places_.size();
}

void PassingMinibatches::compute(Batch rows, double part, FunctionRef<void()> work) {
  Minibatches& minibatches = worker_.minibatches();
  if (!noise_ || noise_step_ != worker_.step()) {
    noise_step_ = worker_.step();
    noise_ = minibatches.costs().next_slowdown();
  }
  WorkerParts(worker_).rank.compute(
      minibatches.costs().of(minibatches.count_of(rows) * part, *noise_), work);
  noise_->pause = Duration{0};  // one a step
}

}  // namespace trainyard
