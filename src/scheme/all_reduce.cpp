// Data-parallel SGD over any all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the same
// bits at every step, whichever way the sum is taken; --collective chooses the way, and with it
// what a step costs.
//
// A sum tells nobody what was in it. With --aggregate every worker sends its gradient to all
// others, (n − 1)(α + t), and each combines what it has by the rule (catalogue §4.5).

#include "trainyard/collective/all_reduce.hpp"

#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/worker_momentum.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  WorkerMomentum momentum(worker);
  RobustMean robust(worker);
  while (worker.next_step()) {
    const Vector gradient = momentum.of(worker.compute_gradient());
    if (robust.is_asked_for()) {
      worker.apply(robust.mean_of_all(worker.comm(), gradient));
      continue;
    }
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
                     if (is_robust(s.ingredients)) return std::nullopt;
                     return s.compute + s.all_reduce(s.collective());
                   }},
          .source = "catalogue 2.1, 3",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .takes = {"collective", aggregate_kind, byzantine_kind},
          .hyperparameters = {worker_momentum_info},
          .worker = work,
          .server = serve_collective};
}

}  // namespace trainyard
