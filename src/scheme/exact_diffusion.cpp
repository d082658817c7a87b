// Exact diffusion and D²: gossip that corrects itself (Yuan, Ying, Zhao & Sayed 2019; Tang et al.,
// ICML 2018; catalogue §4.2). Gossip on heterogeneous data comes to rest where
// combining undoes every worker's step; adding what combining did to the last step removes that
// bias, with one vector a step, where gradient tracking needs two:
//   X¹ = W(X⁰ − γG⁰),  X^{t+1} = W(2X^t − X^{t−1} − γ(G^t − G^{t−1})).
// The program keeps the correction apart:
//   Φ = X − γG + C;  X ← WΦ;  C ← C + (W − I)Φ, C⁰ = 0.
// That is the same, because C is what the step before made of X − γG: WΦ − (X − γG). But in single
// precision the lines above fail. A mean of C that is not 0 acts as a gradient in every later step,
// and as a difference of models C collects their rounding errors: after 10⁵ steps of logistic
// regression the loss had risen to 0.61, from where all-reduce has 0.14. Summed up from what one
// worker gets and another loses, the C of all workers add up to 0.
//
// W is static and symmetric. With W itself (d2) it converges only if λ_min(W) > −1/3: a ring with
// weights 1/3 and even n stands exactly there, so that what enters along one of its eigenvectors
// stays, and Metropolis–Hastings weights of a 2 × 4 grid diverge. With (I + W)/2 (exact-diffusion)
// it always converges. nids.cpp has the same with step sizes of each worker's own.
#include "scheme/correction.hpp"
#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"

namespace trainyard {

namespace {

void work_with_share(Worker& worker, double share) {
  Correction correction(worker, share, 1.0);
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    correction.add_to_model();
    correction.mix();
  }
}

void work_d2(Worker& worker) {
  work_with_share(worker, 1.0);
}
void work_exact_diffusion(Worker& worker) {
  work_with_share(worker, 0.5);
}

Scheme scheme(const char* name, const char* summary, const char* source, void (*worker)(Worker&)) {
  return {.name = name,
          .summary = summary,
          .step = "γ × own gradient, averaged over the graph; no bias on heterogeneous data",
          .cost = {.formula = "c + Δ(α + t)",
                   .rate = "1/ε + σ²/(nε²) + ρσ/((1-ρ)^{1/2}ε^{3/2}), without ς",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return adapt_then_combine_time(s);
                   }},
          .source = source,
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_step},
          .worker = worker};
}

}  // namespace

Scheme d2_scheme() {
  Scheme row =
      scheme("d2", "gossip, corrected by what combining did to the last step; λ_min(W) ≥ -1/3",
             "Tang et al. 2018; catalogue 4.2", work_d2);
  row.graphs.least_eigenvalue = [](const Hyperparameters&) { return -1.0 / 3.0; };
  row.graphs.has_transient = true;  // its W is the graph's own
  return row;
}

Scheme exact_diffusion_scheme() {
  return scheme("exact-diffusion", "d2 with (I + W)/2: tolerates every symmetric graph",
                "Yuan et al. 2019; catalogue 4.2", work_exact_diffusion);
}

}  // namespace trainyard
