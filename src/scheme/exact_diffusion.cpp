// Exact diffusion, D² and NIDS: gossip that corrects itself (Yuan, Ying, Zhao & Sayed 2019; Tang et
// al., ICML 2018; Li, Shi & Yan 2019; catalogue §4.2). Gossip on unlike data comes to rest where
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
// it always converges. nids has the share of W free: the three are one family wherever all workers
// have one step size.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work_with_share(Worker& worker, double share) {
  const MixingRow mixing = lazy(worker.next_round(), share);
  const Vector model = worker.replica();
  VectorBuffer correction = VectorBuffer::zeroed(model.scalar(), model.size());
  VectorBuffer change(model.scalar(), model.size());
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    kernels::add(correction.view(), model);
    send_to_neighbours(worker.comm(), mixing, model);
    difference_to_neighbours(worker.comm(), mixing, model, change.view());
    kernels::add(change.view(), model);
    kernels::add(change.view(), correction.view());
  }
}

void work_d2(Worker& worker) {
  work_with_share(worker, 1.0);
}
void work_exact_diffusion(Worker& worker) {
  work_with_share(worker, 0.5);
}
void work_nids(Worker& worker) {
  work_with_share(worker, worker.hyperparameter("mixing-share"));
}

Scheme scheme(const char* name, const char* summary, const char* source, void (*worker)(Worker&)) {
  return {.name = name,
          .summary = summary,
          .step = "γ × own gradient, averaged over the graph; no bias on unlike data",
          .time = "c + Δ(α + t)",
          .rate = "1/ε + σ²/(nε²), on unlike data too",
          .source = source,
          .family = SchemeFamily::decentralised,
          .has_topology = true,
          .graphs = GraphRange::static_symmetric,
          .optimizers = OptimizerRange::plain,
          .worker = worker,
          .step_time = [](const StepSetting& s) -> std::optional<Duration> {
            return adapt_then_combine_time(s);
          }};
}

}  // namespace

Scheme d2_scheme() {
  Scheme row =
      scheme("d2", "gossip, corrected by what combining did to the last step; λ_min(W) ≥ -1/3",
             "Tang et al. 2018; catalogue 4.2", work_d2);
  row.least_eigenvalue = [](const Hyperparameters&) { return -1.0 / 3.0; };
  return row;
}

Scheme exact_diffusion_scheme() {
  return scheme("exact-diffusion", "d2 with (I + W)/2, which every symmetric graph bears",
                "Yuan et al. 2019; catalogue 4.2", work_exact_diffusion);
}

Scheme nids_scheme() {
  Scheme row = scheme("nids", "d2 with I + share (W - I): between the two above and beyond",
                      "Li, Shi & Yan 2019; catalogue 4.2", work_nids);
  // Of (1 − s)I + sW it may be −1/3.
  row.least_eigenvalue = [](const Hyperparameters& given) {
    return 1.0 - 4.0 / 3.0 / hyperparameter(given, "mixing-share");
  };
  row.hyperparameters = {{.name = "mixing-share",
                          .argument = "S",
                          .help = "how far a round goes towards the average",
                          .fallback = 0.5,
                          .low = 1e-6,
                          .high = 1.0}};
  return row;
}

}  // namespace trainyard
