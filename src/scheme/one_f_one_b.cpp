// 1F1B, also PipeDream-flush (Narayanan et al. 2021, §2.2.1): gpipe, but that a stage takes a
// microbatch backward as soon as it can. Stage s of p first takes as many forward as the stages
// above need to begin, p − s − 1, then one forward and one backward in turn, and at the end those
// that are left backward. So at most p − s microbatches are on their way at a stage, where gpipe
// keeps the activations of all m; the bubble is as long, and the bits are the same (pipeline.hpp).
#include <algorithm>
#include <vector>

#include "trainyard/scheme/pipeline.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const PipelinePlace place(worker);
  MicrobatchedStep step(worker, static_cast<std::size_t>(place.ahead()) + 1);
  while (worker.next_step()) {
    step.begin();
    const int ahead = std::min(place.ahead(), step.count());
    for (int i = 0; i < ahead; ++i) step.forward();
    for (int i = ahead; i < step.count(); ++i) {
      step.forward();
      step.backward();
    }
    for (int i = 0; i < ahead; ++i) step.backward();
    step.end();
  }
}

/// The work that a stage has done so far.
struct StageState {
  std::size_t forward = 0, backward = 0;
  Duration free{0};
};

/// The next pass of each stage begins when the stage is free and the microbatch has come, which
/// takes no time. Each round does what has become possible: at least one pass of some stage.
Duration time_of_passes(const PipelineTimes& times) {
  const std::size_t stages = times.stages(), count = times.microbatches();
  std::vector<StageState> state(stages);
  std::vector up(stages + 1, std::vector<Duration>(count)), down = up;
  for (bool done = false; !done;) {
    done = true;
    for (std::size_t s = 0; s < stages; ++s) {
      StageState& at = state[s];
      if (at.backward == count) continue;
      done = false;
      const bool goes_up = at.forward < std::min(count, at.backward + stages - s);
      const std::size_t j = goes_up ? at.forward : at.backward;
      if (goes_up) {
        if (s > 0 && state[s - 1].forward <= j) continue;
        at.free = std::max(at.free, up[s][j]) + times.forward(s, j);
        up[s + 1][j] = at.free;
        ++at.forward;
      } else {
        if (s + 1 < stages && state[s + 1].backward <= j) continue;
        at.free = std::max(at.free, down[s + 1][j]) + times.backward(s, j);
        down[s][j] = at.free;
        ++at.backward;
      }
    }
  }
  Duration step{0};
  for (const StageState& at : state) step = std::max(step, at.free);
  return step;
}

/// If messages take time, those that go up and down share a stage's ports, and nobody knows a
/// closed form.
std::optional<Duration> step_time(const StepSetting& s) {
  const std::optional<PipelineTimes> times = PipelineTimes::of(s);
  if (!times || !times->even() || (s.workers > 1 && s.message(s.parameters).count() > 0))
    return std::nullopt;
  return time_of_passes(*times);
}

}  // namespace

Scheme one_f_one_b_scheme() {
  return {.name = "1f1b",
          .summary = "gpipe whose stages take microbatches backward as soon as they can",
          .step = "γ × mean over the n minibatches",
          .cost = {.formula = "as gpipe where messages take no time",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = step_time},
          .source = "Narayanan et al. 2021; catalogue 7",
          .family = SchemeFamily::synchronous,
          .cast = cast::pipelines,
          .optimizers = {.no_clip_norm = "has stages, none of which has the whole gradient"},
          .hyperparameters = {stages_info, microbatches_info, tensor_size_info},
          .shares = {.fixed = "those who hold a copy of the model take the minibatches of all "
                              "their shares together"},
          .worker = work};
}

}  // namespace trainyard
