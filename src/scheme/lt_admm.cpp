// LT-ADMM: ADMM over the links of a graph, each minimisation done by τ gradient steps (Ren,
// Bastianello, Johansson & Parisini 2025; catalogue §4.2). Each end i of a link holds a z_ij, and a
// round is
//   φ ← φ − γ ∇f_i(φ) − β Σ_j (ρ_ij x_i − z_ij), τ times from φ = x_i;  x_i ← φ,
//   z_ij ← ½ (z_ij − z_ji) + ρ_ij x_j.
// The pull of the neighbours stands still during a round, and at rest it is −γ ∇f_i, so that no
// worker drifts. (The paper's relaxation α is one half here. Its ρ is the same for all links; here
// a link's is the graph's weight w_ij, on which what follows depends in no other way.)
//
// z_ij + z_ji = ρ_ij (x_i + x_j), and the halves of z_ij − z_ji add up ρ_ij (x_j − x_i). So the sum
// over the links of a worker is that of its neighbours' models, and one vector goes to all of them
// where the paper sends each neighbour another:
//   φ ← φ − γ ∇f_i(φ) + (s (W − I) x + C)_i/τ,  C ← C + s (W − I) x, of the new x,  C⁰ = 0,
// with s = τβ/2 in units of the weights: --mixing-share, how far a round goes towards the average.
// One half suits every graph, and with τ = 1 is `extra`, where all begin alike. It stays bounded
// while s (1 − λ) < 4/3 for every eigenvalue λ of W.
//
// lt-admm-vr takes SAGA's estimate for ∇f_i (scheme/gradient_table.hpp), whose table each round
// begins anew: of all rows at x_i, where the estimate is their gradient whatever is drawn. So noise
// does not keep it off the optimum, and a round costs a pass over the share and τ − 1 minibatches.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/gradient_table.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// Rounds of steps along gradient(first): whether the step is the first of its round.
template <typename Gradient>
void work_along(Worker& worker, const Gradient& gradient) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const MixingRow links = lazy(worker.next_round(), worker.hyperparameter("mixing-share"));
  const Vector model = worker.replica();
  const Vector correction = worker.keep("correction", model.size());        // C
  const Vector pull = worker.keep("pull of the neighbours", model.size());  // s (W − I) x + C
  while (worker.next_step()) {
    worker.apply(gradient(worker.step() % period == 0));
    kernels::axpy(1.0 / static_cast<double>(period), pull, model);
    if ((worker.step() + 1) % period != 0) continue;
    send_to_neighbours(worker.comm(), links, model);
    difference_to_neighbours(worker.comm(), links, model, pull);
    kernels::add(pull, correction);
    kernels::add(correction, pull);
  }
}

void work(Worker& worker) {
  work_along(worker, [&](bool /*first*/) { return worker.compute_gradient(); });
}

void work_with_table(Worker& worker) {
  GradientTable gradients(worker, "lt-admm-vr");
  work_along(worker, [&](bool first) { return first ? gradients.fill() : gradients.next(); });
}

double least_eigenvalue(const Hyperparameters& given) {
  return 1.0 - 4.0 / 3.0 / hyperparameter(given, "mixing-share");
}

constexpr const char* no_l1 =
    "is pulled by its neighbours after the step, off what a shrunk step makes 0";

}  // namespace

Scheme lt_admm_scheme() {
  return {
      .name = "lt-admm",
      .summary = "ADMM over the graph's links with --period gradient steps for each minimisation",
      .step = "γ × own gradient, and the pull of the neighbours; no bias on heterogeneous data",
      .cost = {.formula = "c, and every τ steps Δ(α + t)",
               .rate = "1/ε without noise, without ς",
               .time = [](const StepSetting& s) { return combine_now_and_then_time(s); }},
      .source = "Ren et al. 2025; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric, .least_eigenvalue = least_eigenvalue},
      .optimizers = {.range = OptimizerRange::plain, .no_l1 = no_l1},
      .hyperparameters = {period_info, mixing_share_info},
      .worker = work};
}

Scheme lt_admm_vr_scheme() {
  return {
      .name = "lt-admm-vr",
      .summary = "lt-admm, rid of noise by a table of what each minibatch said last in the round",
      .step = "γ × estimate of the gradient of all own rows, and the pull of the neighbours",
      .cost = {.formula = "c, in a round's first step a pass over the share; every τ steps "
                          "Δ(α + t)",
               .rate = "1/ε, whatever the noise of a minibatch, without ς"},
      .source = "Ren et al. 2025; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .order = {.rhythm = Rhythm::by_data},  // how long a first step is depends on the rows
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric, .least_eigenvalue = least_eigenvalue},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = no_l1,
                     .no_clip_norm = refusal::earlier_gradient},
      .hyperparameters = {period_info, mixing_share_info},
      .worker = work_with_table};
}

}  // namespace trainyard
