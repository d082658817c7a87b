#include "trainyard/runtime/stage_pass.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

namespace {

Stage stage_of(Worker& worker) {
  const Model& model = worker.model();
  if (model.layered() == nullptr && worker.replica().size() == model.dimension()) {
    return {.parameters = {0, model.dimension()}, .first = true, .last = true, .backward = 1.0};
  }
  return worker.stage();
}

}  // namespace

StagePass::StagePass(Worker& worker, std::size_t most_in_flight)
    : worker_(worker),
      model_(worker.model().layered()),
      stage_(stage_of(worker)),
      passing_(most_in_flight),
      gradient_(VectorBuffer::zeroed(worker.replica().scalar(), stage_.parameters.count)) {
  require(most_in_flight > 0, "a stage has room for a minibatch");
}

ConstVector StagePass::forward(Batch batch, ConstVector below, ConstVector weights) {
  require(in_flight_ < passing_.size(), "no more minibatches go forward than there is room for");
  const std::size_t place = (oldest_ + in_flight_++) % passing_.size();
  Passing& passing = passing_[place];
  passing.batch.assign(batch.begin(), batch.end());
  if (longest_ == 0) longest_ = below.size();
  require(below.size() <= longest_, "the first minibatch of a stage has the most rows");
  if (passing.below.empty() && longest_ > 0) {
    passing.below = worker_.keep(fmt::format("activations({})", place), longest_);
  }
  kernels::copy(below, passing.below.first(below.size()));
  passing.weights = weights.empty() ? ConstVector(worker_.replica()) : weights;
  if (model_ == nullptr) return {};
  std::span<const float> units;
  compute(worker_.minibatches(batch) * stage_.forward, [&] {
    units =
        model_->forward(stage_, passing.weights, passing.batch, inputs(passing), passing.workspace);
  });
  return units;
}

ConstVector StagePass::backward(ConstVector above) {
  require(in_flight_ > 0, "forward() comes before backward()");
  Passing& passing = passing_[oldest_];
  std::span<const float> slopes;
  compute(worker_.minibatches(passing.batch) * stage_.backward, [&] {
    if (model_ == nullptr) {
      worker_.model().gradient(passing.weights, passing.batch, gradient_.view(), passing.workspace);
      return;
    }
    slopes = model_->backward(stage_, passing.weights, passing.batch, inputs(passing),
                              above.floats(), gradient_.view(), passing.workspace);
  });
  // An empty stage begins with its first place, so that only as many are filled as are needed.
  oldest_ = --in_flight_ == 0 ? 0 : (oldest_ + 1) % passing_.size();
  return slopes;
}

/// Noise is of a worker's minibatch, and here of all that it computes in a step.
void StagePass::compute(double minibatches, FunctionRef<void()> work) {
  if (!noise_ || noise_step_ != worker_.step()) {
    noise_step_ = worker_.step();
    noise_ = worker_.next_slowdown();
  }
  worker_.compute(minibatches, *noise_, work);
  noise_->pause = Duration{0};  // one a step
}

std::span<const float> StagePass::inputs(const Passing& passing) const {
  if (stage_.first) return {};
  return passing.below.floats().first(row_count(passing.batch) * stage_.inputs);
}

}  // namespace trainyard
