// SlowMo, slow momentum (Wang, Tantia, Ballas & Rabbat, ICLR 2020, Algorithm 1; catalogue §4.1):
// local SGD whose averages are pushed on in the direction in which they have been moving. After τ
// steps of step size γ from x, and x̄ the mean of the replicas:
//   u ← β u + (x − x̄) / γ,  x ← x − α γ u,  x_i ← x.
// β = 0 and α = 1 are local-sgd. The division by γ keeps u a sum of gradients while γ falls; where
// γ never changes it is `diloco` with heavy ball, η = α and μ = β.
//
// Of what the paper does with the inner optimizer's buffers at an average (reset, keep, average)
// this is "maintain": they stay as they are with their worker.
#include <cstdint>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double slow_lr = worker.hyperparameter("slow-lr");
  const double slow_momentum = worker.hyperparameter("slow-momentum");
  const Vector x = worker.keep("outer model", worker.replica());
  const Vector u = worker.keep("slow momentum", worker.replica().size());
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    all_reduce_mean(worker.comm(), worker.replica(), collective_of(worker));
    // In a run γ is never 0; a library caller's warm-up without the length of a step begins so.
    const double gamma = worker.step_size();
    if (gamma > 0.0) {
      kernels::scale(slow_momentum, u);
      kernels::add_difference(1.0 / gamma, x, worker.replica(), u);
      kernels::axpy(-slow_lr * gamma, u, x);
    }
    kernels::copy(x, worker.replica());
  }
}

}  // namespace

Scheme slowmo_scheme() {
  return {
      .name = "slowmo",
      .summary = "local steps, averaged every --period steps and pushed on by slow momentum",
      .step =
          "γ × own gradient; every τ steps α times the mean way of the workers, and "
          "momentum",
      .cost = {.formula = "c, and every τ steps the time of the collective",
               .rate = "as local-sgd",
               .time = time_with_averages},
      .source = "Wang et al. 2020, Algorithm 1; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .takes = {"collective"},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info,
                          {.name = "slow-lr",
                           .argument = "ALPHA",
                           .help = "slow step size: 1 goes as far as the workers' mean",
                           .fallback = 1.0,
                           .low = 0.0,
                           .high = 1e6},
                          {.name = "slow-momentum",
                           .argument = "BETA",
                           .help = "slow momentum",
                           .fallback = 0.5,
                           .low = 0.0,
                           .high = 0.9999}},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
