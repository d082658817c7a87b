// NIDS: gossip that corrects itself, as exact diffusion does, with a step size of each worker's own
// (Li, Shi & Yan, IEEE TSP 2019, Algorithm 1; catalogue §4.2). Without a regulariser that needs a
// proximal step:
//   X¹ = X⁰ − ΛG⁰,  X^{t+1} = W̃(2X^t − X^{t−1} − Λ(G^t − G^{t−1})),  W̃ = I − cΛ(I − W),
// Λ = diag(α_1 … α_n). The first step is not mixed. How large α_i may be depends on worker i's
// objective alone, as in gradient descent (α_i < 2/L_i), and not on the graph: hence the name,
// network-independent step sizes. Where they differ, exact diffusion's (I + W)/2 comes to rest
// where Σ α_i g_i = 0. Here the columns of Λ⁻¹W̃ add up to those of Λ⁻¹, so that Σ (x_i^{t+1} −
// x_i^t)/α_i = −Σ g_i at every step, and at rest Σ g_i = 0.
//
// Λ is γ F, with 1 = f_1 ≥ … ≥ f_n = 1/--step-spread in equal ratios, so that whoever changes γ in
// the course of a run changes all α_i. c max α_i is --mixing-share. One half, the paper's choice
// where nobody knows W, suits every graph. The paper allows what leaves W̃ no negative eigenvalue,
// c ≤ 1/λ_max(Λ^½(I − W)Λ^½), for which 1/(max α_i · λ_max(I − W)) is enough; as in d2, −1/3 is
// where it begins to diverge.
//
// As in exact_diffusion.cpp, and for the same reason, the correction is kept apart, by what each
// worker gets and another loses: U, which adds up to 0 over all workers.
//   Φ = X − ΛG + sFU;  X ← Φ + sF(W − I)Φ;  U ← U + (W − I)Φ,  s = c max α_i, U¹ = 0.
#include <cmath>

#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// f_i: α_i as a share of the largest.
double own_step(Worker& worker) {
  const int workers = worker.comm().workers();
  if (workers == 1) return 1.0;
  return std::pow(worker.hyperparameter("step-spread"),
                  -static_cast<double>(worker.comm().rank()) / (workers - 1));
}

void work(Worker& worker) {
  const MixingRow& mixing = worker.next_round();
  const Vector model = worker.replica();
  const double own = own_step(worker);
  const double share = worker.hyperparameter("mixing-share") * own;
  const Vector correction = worker.keep("correction", model.size());  // U
  VectorBuffer change(model.scalar(), model.size());
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient(), own);
    if (worker.step() == 0) continue;
    kernels::axpy(share, correction, model);
    send_to_neighbours(worker.comm(), mixing, model);
    difference_to_neighbours(worker.comm(), mixing, model, change.view());
    kernels::axpy(share, change.view(), model);
    kernels::add(change.view(), correction);
  }
}

}  // namespace

Scheme nids_scheme() {
  return {
      .name = "nids",
      .summary =
          "exact diffusion with a step size of each worker's own; the first step is not mixed",
      .step =
          "γ, or less of it where --step-spread says so, × own gradient, averaged over the "
          "graph; no bias on heterogeneous data",
      .cost = {.formula = "c + Δ(α + t), the first c",
               .rate = "1/ε + σ²/(nε²) + ρσ/((1-ρ)^{1/2}ε^{3/2}), without ς",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Li, Shi & Yan 2019; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric,
                 // The least one of I − s(I − W) may be −1/3.
                 .least_eigenvalue =
                     [](const Hyperparameters& given) {
                       return 1.0 - 4.0 / 3.0 / hyperparameter(given, "mixing-share");
                     }},
      .optimizers =
          {.range = OptimizerRange::plain,
           .no_l1 = "corrects each step by the one before; its published form for penalties (Li, "
                    "Shi & Yan 2019, Algorithm 1) keeps another vector, which this has not"},
      .hyperparameters = {mixing_share_info,
                          {.name = "step-spread",
                           .argument = "R",
                           .help = "the first worker's step size is γ, the last one's γ/R, those "
                                   "between in equal ratios",
                           .fallback = 1.0,
                           .low = 1.0,
                           .high = 1e6}},
      .worker = work};
}

}  // namespace trainyard
