// Hogwild!: all workers read and write one shared model, and no one locks (Niu, Recht, Ré & Wright,
// NIPS 2011; catalogue §2.15). On sparse linear models a step touches only the coordinates of its
// rows, so that two workers rarely meet at one; on dense models they always do, and the memory
// system pays.
//
// In `virtual` the time between the read and the write is the minibatch's compute time.
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) worker.descend_shared();
}

}  // namespace

Scheme hogwild_scheme() {
  return {.name = "hogwild",
          .summary = "all workers update one shared model without locks; no messages",
          .step = "γ × each gradient: as ps-async",
          .time = "c",
          .rate = "as ps-async, while few coordinates collide",
          .source = "Niu et al. 2011; catalogue 2.15",
          .family = SchemeFamily::shared_memory,
          .pace = Pace::free,
          .home = ModelHome::shared,
          .optimizers = OptimizerRange::plain,
          .worker = work,
          .step_time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }};
}

}  // namespace trainyard
