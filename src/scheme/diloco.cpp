// DiLoCo (Douillard et al. 2023, Algorithm 1; catalogue §4.1): islands of workers that meet rarely.
// Each takes H steps of an inner optimizer on its own replica, AdamW in the paper; the way that it
// has come is averaged over all of them and is one step of an outer optimizer, Nesterov's, on the
// model that they began from; all go on from there:
//   Δ_i = x − x_i after H steps,  Δ = (1/n) Σ_i Δ_i,
//   v ← μ v + Δ,  x ← x − η (Δ + μ v),  x_i ← x.
// What the inner optimizer keeps stays with its worker. A round costs one all-reduce, as in
// local-sgd, which it is for η = 1 and μ = 0 without inner momentum (local-sgd averages
// velocities); H = 1 makes that `ring`. With --outer-optimizer sgd, plain inner steps and one step
// size throughout it is `slowmo` with α = η and β = μ. A single worker's is Lookahead (Zhang et
// al., NeurIPS 2019; μ = 0) or SNOO (μ > 0).
//
// The model that is evaluated between rounds is the mean of the replicas.
#include <cstdint>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  CommonModel common(worker);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period == 0) common.meet();
  }
}

}  // namespace

Scheme diloco_scheme() {
  return {
      .name = "diloco",
      .summary =
          "local steps, whose way is every --period steps a gradient of an outer "
          "optimizer with Nesterov momentum",
      .step = "γ × own gradient; every τ steps η × the mean way of the workers, and momentum",
      .cost = {.formula = "c, and every τ steps the time of the collective",
               .rate = "as local-sgd",
               .time = time_with_averages},
      .source = "Douillard et al. 2023, Algorithm 1; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .takes = {"collective"},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info, outer_lr_info, outer_momentum_info, outer_optimizer_info},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
