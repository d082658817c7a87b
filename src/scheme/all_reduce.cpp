// Data-parallel SGD over any all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the same
// bits at every step, whichever way the sum is taken; --collective chooses the way, and with it
// what a step costs.

#include "trainyard/collective/all_reduce.hpp"

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    all_reduce_sum(worker.comm(), gradient, collective_of(worker));
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

}  // namespace

Scheme all_reduce_scheme() {
  return {.name = "all-reduce",
          .summary = "all-reduce of gradients in the way that --collective says",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + that of the collective (list collectives)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return s.compute + s.all_reduce(s.collective());
                   }},
          .source = "catalogue 2.1, 3",
          .family = SchemeFamily::synchronous,
          .takes = {"collective"},
          .worker = work,
          .server = serve_collective};
}

}  // namespace trainyard
