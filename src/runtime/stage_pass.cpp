#include "trainyard/runtime/stage_pass.hpp"

#include <span>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

namespace {

Stage stage_of(Worker& worker) {
  const Model& model = worker.model();
  if (model.layered() == nullptr && worker.replica().size() == model.dimension()) {
    return {.parameters = {0, model.dimension()}, .first = true, .last = true, .backward = 1.0};
  }
  const Holding held = worker.holding();
  require(held.ranges.size() == 1, "a stage has its parameters in a row");
  return worker.layers().stage_of(held.ranges.front());
}

}  // namespace

StagePass::StagePass(Worker& worker, std::size_t most_in_flight)
    : worker_(worker),
      model_(worker.model().layered()),
      stage_(stage_of(worker)),
      passing_(worker, most_in_flight),
      gradient_(VectorBuffer::zeroed(worker.replica().scalar(), stage_.parameters.count)) {}

ConstVector StagePass::forward(Batch batch, ConstVector below, ConstVector weights) {
  Passing& passing = passing_.begin(batch, below, weights);
  if (model_ == nullptr) return {};
  std::span<const float> units;
  passing_.compute(batch, stage_.forward, [&] {
    units = model_->forward(stage_, passing.weights, passing.batch, passing.inputs(stage_.inputs),
                            passing.workspace);
  });
  return units;
}

ConstVector StagePass::backward(ConstVector above) {
  Passing& passing = passing_.oldest();
  std::span<const float> slopes;
  passing_.compute(passing.batch, stage_.backward, [&] {
    if (model_ == nullptr) {
      worker_.model().gradient(passing.weights, passing.batch, gradient_.view(), passing.workspace);
      return;
    }
    slopes = model_->backward(stage_, passing.weights, passing.batch, passing.inputs(stage_.inputs),
                              above.floats(), gradient_.view(), passing.workspace);
  });
  passing_.end_oldest();
  return slopes;
}

}  // namespace trainyard
