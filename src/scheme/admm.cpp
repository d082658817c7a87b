// ADMM over the links of a graph, relaxed (Bastianello, Carli, Schenato & Todescato 2021; Shi,
// Ling, Yuan, Wu & Yin 2014; catalogue §4.2). Each end i of a link to j holds a z_ij, and in a
// round a worker with d neighbours
//   x_i ← argmin f_i(x) + dρ/2 ‖x‖² − x·Σ_j z_ij,
// which is f_i's proximal point of the mean of z_ij/ρ, tells them its x_i, and then
//   z_ij ← (1 − α) z_ij − α (z_ji − 2ρ x_j).
// α = ½, --relaxation's fallback, is plain ADMM: f_i(x) + p_i·x + c Σ_j ‖x − (x_i + x_j)/2‖² is
// minimised, with ρ = 2c, and p_i ← p_i + c Σ_j (x_i − x_j). A larger α takes fewer rounds; only 1,
// Peaceman and Rachford's, need not arrive.
//
// A minimum is known in closed form for quadratics only. Here it is sought in --period steps, each
// a step along ∇f_i and then all the way to the minimum of the rest, the proximal gradient method:
//   x ← (x − γ (∇f_i(x) − Σ_j z_ij))/(1 + γdρ),  from the x_i of the last round.
// Its rest is the minimum whatever γ is, it stands for γ < 2/L, whatever the penalty and the graph,
// and where f_i has a curvature of μ and more, a step leaves (1 − γμ)/(1 + γdρ) of the distance, or
// less (γ ≤ 1/L). With whole gradients (--batch) this is ADMM whose minima are as exact as wanted;
// at rest all is exact, whatever the number of steps, and the workers' x_i are the optimum.
//
// With one step and α = ½ it is `dlm`, but for when it tells. `dinno` also seeks ADMM's minima, by
// an optimizer's steps, whose γ is to be below 2/(L + 2cd). `lt-admm` does not: its steps see the
// neighbours' pull, but not the penalty, as it was at the beginning of a round, and more steps lead
// elsewhere.
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/relaxed_admm.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector x = worker.replica();
  LinkPull links(worker, worker.next_round(), x,
                 {"dual variable", "pull of the neighbours", "start of a round"});
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    kernels::axpy(-1.0, links.pull(), gradient);  // Σ z is that, and dρ times the round's first x
    kernels::add_difference(links.curvature(), x, links.before(), gradient);
    worker.apply(gradient, 1.0 / (1.0 + links.curvature() * worker.step_size()));
    if ((worker.step() + 1) % period != 0) continue;
    links.tell();
    links.hear();
  }
}

}  // namespace

Scheme admm_scheme() {
  return {.name = "admm",
          .summary =
              "relaxed ADMM over the graph's links, with --period proximal steps for each "
              "minimisation",
          .step =
              "γ/(1 + 2γc × neighbours) × own gradient and what neighbours make it; no bias on "
              "heterogeneous data",
          .cost = {.formula = "c, and every τ steps Δ(α + t)",
                   .rate = "not known where minimisations are inexact",
                   .time = [](const StepSetting& s) { return combine_now_and_then_time(s); }},
          .source = "Bastianello et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 =
                             "is drawn off what a shrunk step makes 0 by what its neighbours hold"},
          .hyperparameters = {period_info, consensus_penalty_info, relaxation_info},
          .worker = work};
}

}  // namespace trainyard
