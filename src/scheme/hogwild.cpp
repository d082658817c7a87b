// Hogwild!: all workers read and write one shared model, and no one locks (Niu, Recht, Ré & Wright,
// NIPS 2011; catalogue §2.15). On sparse linear models a step touches only the coordinates of its
// rows, so that two workers rarely meet at one; on dense models they always do, and the memory
// system pays.
//
// How a coordinate is changed is --access. `racy`, a load and a store, is Hogwild as it is run: of
// two workers at one coordinate in the same few nanoseconds one loses its update. `cas-add` loses
// none, as its analysis assumes, for a locked instruction a coordinate. `locked` is the yardstick
// that Hogwild is measured against: a step's writing, all its coordinates together, holds the
// model's one mutex; reading and computing go on meanwhile.
//
// In `virtual` the time between the read and the write is the minibatch's compute time, and both
// take what the cache lines take that others have written (runtime/shared_lines.hpp); all three are
// the same there.
#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto access = worker.choice<SharedAccess>("access");
  SharedSteps shared(worker);
  while (worker.next_step()) shared.descend(access);
}

}  // namespace

Scheme hogwild_scheme() {
  return {
      .name = "hogwild",
      .summary = "all workers update one shared model without locks; no messages",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "c",
               .rate = "as ps-async, while few coordinates collide",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Niu et al. 2011; catalogue 2.15",
      .family = SchemeFamily::shared_memory,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::shared,
      .optimizers = {.range = OptimizerRange::plain},
      .hyperparameters = {access_info()},
      .worker = work};
}

}  // namespace trainyard
