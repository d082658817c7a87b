// Local exact diffusion, LED: exact diffusion that mixes only every τ steps (Alghunaim 2023,
// Algorithm 1, eq. 2; catalogue §4.2). A round is
//   φ_0 = x_i,  φ_{t+1} = φ_t − γ ∇f_i(φ_t) − β y_i  for t < τ,
//   x_i ← Σ_j W_ij φ_τ^j,  y_i ← y_i + φ_τ − x_i,  y_i⁰ = 0.
// What mixing took from a worker it is to go by itself in the next round, β of it in each step. At
// rest β y_i = −γ ∇f_i(x) at every one of them, so that no worker drifts, however large τ, and as
// the y_i add up to 0, so do the ∇f_i: local-sgd and gossip come to rest elsewhere.
//
// β = 1/τ takes a round back once. With τ = β = 1 it is exact-diffusion, or d2 with --mixing-share
// 1. The program keeps C = −β y, for which W is (1 − s) I + s W, s being --mixing-share. Without
// gradients an eigenvalue w of that W stays bounded where τβ (1 − w) ≤ 2 (1 + w).
#include "scheme/correction.hpp"
#include "scheme/gossip.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  Correction correction(worker);
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    correction.add_to_model();
    if ((worker.step() + 1) % period == 0) correction.mix();
  }
}

}  // namespace

Scheme led_scheme() {
  return {
      .name = "led",
      .summary = "exact diffusion with --period local steps between two rounds",
      .step =
          "γ × own gradient, averaged over the graph every τ steps; no bias on heterogeneous "
          "data",
      .cost = {.formula = "c, and every τ steps Δ(α + t)",
               .rate = "σ²/(nε²) for small ε, without ς",
               .time = [](const StepSetting& s) { return combine_now_and_then_time(s); }},
      .source = "Alghunaim 2023, Algorithm 1; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric,
                 .least_eigenvalue =
                     [](const Hyperparameters& given) {
                       const double gain =  // τβ
                           hyperparameter(given, "period") *
                           hyperparameter(given, "correction-rate");
                       return least_eigenvalue_of_correction(given, gain);
                     }},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "takes back in later steps what mixing did, and a shrunk step is not "
                              "what it takes back"},
      .hyperparameters = {period_info, mixing_share_info, correction_rate_info},
      .worker = work};
}

}  // namespace trainyard
