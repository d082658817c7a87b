// ADMM-tracking gradient (Carnevale, Bastianello, Notarstefano & Carli 2025; catalogue §4.2):
// gradient tracking whose averages over the graph are ADMM's. The mean of all workers' vectors v_i
// is the minimum of ½ Σ_i ‖y_i − v_i‖² where neighbours are to agree, and relaxed ADMM (admm.cpp)
// has that in closed form. One round of it for the models and one for the gradients make a step:
//   y_i ← (x_i + Σ_j z_ij)/(1 + dρ),  s_i ← (∇f_i(x_i) + Σ_j z'_ij)/(1 + dρ),
//   x_i ← x_i + δ (y_i − γ s_i − x_i),
//   z_ij ← (1 − α) z_ij − α (z_ji − 2ρ y_j),  z'_ij ← (1 − α) z'_ij − α (z'_ji − 2ρ s_j).
// So y_i follows the mean of the models and s_i that of the gradients, and at rest, where all y and
// all s are alike, x_i = y_i and s_i = 0: the optimum, whatever the data. δ, --mixing-share, and γ
// are to be small enough that y and s can follow. (The paper has the letters δ and γ the other way
// round.) y is dρ/2α steps late, so that in the long run a step is δγ/(1 + δdρ/2α) long where all
// have d neighbours.
//
// Tracking by averages has to have Σ_i y_i = Σ_i g_i at every step and never gets back what is once
// lost; what ADMM's z begin as, or lose, is forgotten in time. That is what the paper is for, steps
// out of turn and lost messages, which are not in this row: its workers go in step.
//
// The z that a step needs are made of the y and s of the one before, so that those travel while the
// gradient is computed. Every link counts alike, whatever its weight in W.
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"
#include "scheme/relaxed_admm.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// A round's closed form: told ← (v + Σ z)/(1 + dρ).
void minimise(const LinkPull& links, ConstVector v, Vector told) {
  const double share = 1.0 / (1.0 + links.curvature());
  kernels::move_towards(share, v, told);
  kernels::axpy(share, links.pull(), told);
}

void work(Worker& worker) {
  const double share = worker.hyperparameter("mixing-share");  // δ
  const MixingRow& row = worker.next_round();
  const Vector x = worker.replica();
  const Vector y = worker.keep("y", x), s = worker.keep("s", x.size());
  LinkPull models(worker, row, y, {"dual variable of y", "pull of the neighbours' y", "last y"});
  LinkPull gradients(worker, row, s, {"dual variable of s", "pull of the neighbours' s", "last s"});
  while (worker.next_step()) {
    models.tell();
    gradients.tell();
    const Vector gradient = worker.compute_gradient();
    models.hear();
    gradients.hear();
    minimise(models, x, y);
    minimise(gradients, gradient, s);
    kernels::move_towards(share, y, x);
    worker.apply(s, share);
  }
}

}  // namespace

Scheme atg_scheme() {
  return {.name = "atg",
          .summary = "gradient tracking whose averages of models and of gradients are ADMM's",
          .step = "γ × the mixing share × what follows the mean gradient, and less where y is late",
          .cost = {.formula = "max(c, 2Δ(α + t))",
                   .rate = "1/ε without noise, without ς",
                   .time = [](const StepSetting& s) { return combine_while_adapting_time(s, 2); }},
          .source = "Carnevale et al. 2025; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::tracked_gradient},
          .hyperparameters = {mixing_share_info, consensus_penalty_info, relaxation_info},
          .worker = work};
}

}  // namespace trainyard
