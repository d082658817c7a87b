// ProxSkip among neighbours: exact diffusion whose rounds come by chance (Guo, Alghunaim, Yuan,
// Condat & Cao 2023, Algorithm 1, after Mishchenko, Malinovsky, Stich & Richtárik 2022; catalogue
// §4.2):
//   z_i = x_i − γ ∇f_i(x_i) − y_i;
//   with probability p  x_i ← Σ_j (W_a)_ij z_j,  y_i ← y_i + β (z_i − x_i);  else  x_i ← z_i,
// with W_a = I − (I − W)/(2χ). All workers draw the same coin, from a stream that they share, so
// that nobody has to be told. It is `led` with 1/p steps in a round on average; that their number
// is random and the correction small lets it be shown that with p = 1/√κ rounds are as few as in
// accelerated methods, κ being how ill-conditioned the objectives are.
//
// s = 1/(2χ) is --mixing-share: one half, χ = 1, is what the paper allows at most. β = p, its
// choice for strongly convex objectives, is the default. With p = 1 that is exact-diffusion. The
// program keeps C = −y.
#include "trainyard/base/random.hpp"

#include "scheme/correction.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double probability = worker.hyperparameter("mixing-probability");
  RandomStream& coin = worker.common_random();
  Correction correction(worker);
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    correction.add_to_model();
    if (coin.uniform() < probability) correction.mix();
  }
}

}  // namespace

Scheme proxskip_scheme() {
  return {
      .name = "proxskip",
      .summary = "exact diffusion in which a round follows a step with --mixing-probability",
      .step =
          "γ × own gradient, averaged over the graph now and then; no bias on heterogeneous "
          "data",
      .cost = {.formula = "c, and with probability p Δ(α + t)",
               .rate = "σ²/(nε²) for small ε, without ς"},
      .source = "Guo et al. 2023, Algorithm 1; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .order = {.rhythm = Rhythm::by_chance},
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric,
                 .least_eigenvalue =
                     [](const Hyperparameters& given) {
                       const double gain =  // β/p, on average
                           hyperparameter(given, "correction-rate") /
                           hyperparameter(given, "mixing-probability");
                       return least_eigenvalue_of_correction(given, gain);
                     }},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "takes back in later steps what mixing did, and a shrunk step is not "
                              "what it takes back"},
      .hyperparameters = {mixing_probability_info, mixing_share_info, correction_rate_info},
      .worker = work};
}

}  // namespace trainyard
