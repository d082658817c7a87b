// GPipe (Huang et al. 2019): the layers lie on p workers, a stage each, and a minibatch is cut into
// m microbatches, so that a stage works on one while those above and below work on others. All of
// them go forward, then all go backward, and then each stage takes one step with the sum: it is
// synchronous SGD, whose gradients pipeline.hpp tells.
//
// While a pipeline fills and drains, stages wait: with stages that take equally long a step is m +
// p − 1 times a microbatch's time, (p − 1)/(m + p − 1) of it a bubble. Many microbatches make that
// small, but a stage keeps the activations of all m of them; 1f1b keeps fewer in the same time. The
// paper throws most of them away and computes them again; that trade of time for memory is not
// made here.
//
// Backward the microbatches come in the order in which they went forward, and not, as the paper
// draws it, in the opposite one: it takes as long, and gives the bits of 1f1b.
#include <optional>

#include "trainyard/scheme/pipeline.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  MicrobatchedStep step(worker, static_cast<std::size_t>(worker.hyperparameter("microbatches")));
  while (worker.next_step()) {
    step.begin();
    for (int i = 0; i < step.count(); ++i) step.forward();
    for (int i = 0; i < step.count(); ++i) step.backward();
    step.end();
  }
}

/// If messages take time, those among the parts of a stage share its ports with those from stage to
/// stage, and nobody knows a closed form.
std::optional<Duration> step_time(const StepSetting& s) {
  const std::optional<PipelineTimes> times = PipelineTimes::of(s);
  if (!times || !times->even() ||
      (times->parts() > 1 && times->stages() > 1 && s.message(1).count() > 0))
    return std::nullopt;
  return flush_time(*times);
}

}  // namespace

Scheme gpipe_scheme() {
  return {.name = "gpipe",
          .summary = "pipelines of --stages workers: all microbatches forward, then all backward",
          .step = "γ × mean over the n minibatches",
          .cost = {.formula = "(m + p - 1)(f + b), of p stages alike, m microbatches and free "
                              "messages; f + b = c/m",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = step_time},
          .source = "Huang et al. 2019; catalogue 7",
          .family = SchemeFamily::synchronous,
          .cast = cast::pipelines,
          .optimizers = {.no_clip_norm = "has stages, none of which has the whole gradient"},
          .hyperparameters = {stages_info, microbatches_info, tensor_size_info},
          .shares = {.fixed = "those who hold a copy of the model take the minibatches of all "
                              "their shares together"},
          .worker = work};
}

}  // namespace trainyard
