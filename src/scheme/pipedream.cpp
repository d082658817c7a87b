// PipeDream (Narayanan et al. 2019, §3): a pipeline that never drains. Minibatches, not parts of
// one, follow each other through the stages; stage s of p lets p − s of them in before it takes the
// first one backward, and from then on takes one forward and one backward in turn and steps after
// each of the latter. So nobody waits once the pipeline is full, and gradients are stale: that of
// minibatch k is taken at what a stage had after k − (p − s − 1) steps of its own, and is its
// (k + 1)-th step. Between stages weights are of different ages,
//   w ← w − γ ∇F(w_0^(k−p+1), w_1^(k−p+2), …, w_{p−1}^(k)).
//
// Weight stashing: a minibatch goes backward through the weights with which it went forward, or its
// gradient would be none of any model's. A stage keeps them for each minibatch on its way, at most
// p − s versions. (Vertical sync, with which a minibatch meets the same version at every stage, is
// off in the paper's experiments, and not here.)
//
// With several pipelines the stages that are alike add up their gradients before each step, as the
// paper's replicated stages do. What is on its way when the run ends is dropped.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/pipeline.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// The versions of a stage's weights that minibatches on their way went forward with.
class StashedWeights {
 public:
  StashedWeights(Worker& worker, std::uint64_t most) : worker_(worker) {
    if (most < 2) return;  // the last stage takes a minibatch backward before it steps
    for (std::uint64_t k = 0; k < most; ++k) {
      versions_.push_back(worker.keep(fmt::format("weights({})", k), worker.replica().size()));
    }
  }
  /// The present weights, kept until as many more minibatches have come.
  ConstVector of(std::uint64_t minibatch) {
    if (versions_.empty()) return worker_.replica();
    const Vector version = versions_[minibatch % versions_.size()];
    kernels::copy(worker_.replica(), version);
    return version;
  }

 private:
  Worker& worker_;
  std::vector<Vector> versions_;
};

void work(Worker& worker) {
  const auto ahead = static_cast<std::uint64_t>(PipelinePlace(worker).ahead());
  PipelineStage stage(worker, ahead + 1);
  StashedWeights weights(worker, ahead + 1);
  std::uint64_t forward = 0;
  while (worker.next_step()) {
    for (; forward <= worker.step() + ahead; ++forward) {
      stage.forward(worker.minibatches().next(), weights.of(forward));
    }
    stage.backward();
    worker.record_staleness(std::min(worker.step(), ahead));
    stage.apply(stage.gradient());
  }
}

}  // namespace

Scheme pipedream_scheme() {
  return {.name = "pipedream",
          .summary = "a pipeline that never drains: a step a minibatch, with stashed weights",
          .step = "γ × gradient, as many steps of the stage ago as there are stages above",
          .cost = {.formula = "in the long run the time of the slowest stage, c of stages alike",
                   .rate = "open"},
          .source = "Narayanan et al. 2019; catalogue 7",
          .family = SchemeFamily::asynchronous,
          .order = {.no_checkpoint = "never drains: minibatches are on their way between any two "
                                     "steps"},
          .cast = cast::pipelines,
          .optimizers = {.no_clip_norm = "has stages, none of which has the whole gradient"},
          .hyperparameters = {stages_info, tensor_size_info},
          .shares = {.fixed = "those who hold a copy of the model take the minibatches of all "
                              "their shares together"},
          .worker = work};
}

}  // namespace trainyard
