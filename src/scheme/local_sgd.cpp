// Local SGD: every worker steps on its own replica, and every τ steps the replicas are averaged
// (McDonald, Hall & Mann 2010; Stich, ICLR 2019; catalogue §4.1): x_i ← x_i − γ g_i(x_i), and then
// x_i ← (1/n) Σ_j x_j when τ divides the number of steps. τ = 1 is synchronous SGD. A step lasts
// T_c and 1/τ of an all-reduce.
//
// On one machine it is what Hogwild is not: no worker ever fetches what another has just written.
// With τ steps an epoch it is DimmWitted's replica per core.
//
// Momentum is refused: whether velocities are averaged, kept or reset are three different rules.
#include <cstdint>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/all_reduce.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period == 0) {
      all_reduce_mean(worker.comm(), worker.replica(), worker.collective());
    }
  }
}

}  // namespace

Scheme local_sgd_scheme() {
  return {
      .name = "local-sgd",
      .summary = "workers step on replicas of their own, which are averaged every --period steps",
      .step = "γ × own gradient; the average is a step of γ × mean over workers",
      .time = "c, and every τ steps the time of the collective",
      .rate = "1/ε + σ²/(nε²) + (τ-1)(σ + ς)/ε^{3/2}",
      .source = "Stich 2019; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .has_collective = true,
      .has_momentum = false,
      .hyperparameters = {period_info},
      .worker = work,
      .server = all_reduce_server,
      .step_time = [](const StepSetting& s) -> std::optional<Duration> {
        return hyperparameter(s.hyperparameters, "period") == 1
                   ? all_reduce_step_time(s, s.collective)
                   : s.compute;
      }};
}

}  // namespace trainyard
