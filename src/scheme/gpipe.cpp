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
#include <algorithm>
#include <vector>

#include "scheme/pipeline.hpp"
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

/// One pass of all microbatches through one stage and over its border: when each has come to the
/// next stage, from when each has come to this one.
struct StageRun {
  Duration free{0};  // the stage has done what it had to do
  Duration link{0};  // its port has

  template <typename Work, typename Message>
  void pass(std::vector<Duration>& arrived, const Work& work, const Message& message) {
    for (std::size_t j = 0; j < arrived.size(); ++j) {
      free = std::max(free, arrived[j]) + work(j);
      link = std::max(free, link) + message(j);
      arrived[j] = link;
    }
  }
};

/// On their way up messages meet none on their way down: a stage sends the first one down when all
/// have come up to it.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.stages.empty()) return std::nullopt;
  const PipelineTimes times(s);
  const std::size_t stages = times.stages();
  std::vector<Duration> arrived(times.microbatches(), Duration{0});
  std::vector<StageRun> runs(stages);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    runs[stage].pass(
        arrived, [&](std::size_t j) { return times.forward(stage, j); },
        [&](std::size_t j) { return stage + 1 < stages ? times.message(stage, j) : Duration{0}; });
  }
  std::ranges::fill(arrived, Duration{0});
  Duration step{0};
  for (std::size_t stage = stages; stage-- > 0;) {
    StageRun run{.free = runs[stage].free};
    run.pass(
        arrived, [&](std::size_t j) { return times.backward(stage, j); },
        [&](std::size_t j) { return stage > 0 ? times.message(stage - 1, j) : Duration{0}; });
    // What goes to the same stages of other pipelines goes behind the last slopes.
    step = std::max(step, run.link + times.sum_over_pipelines(stage));
  }
  return step;
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
          .hyperparameters = {stages_info, microbatches_info},
          .worker = work};
}

}  // namespace trainyard
