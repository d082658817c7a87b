// Wang and Elia's algorithm: gossip under integral control (Wang & Elia 2010; Bin, Notarnicola &
// Parisini 2022, whose letters these are; catalogue §4.2). With K = (I − W)/2
//   X ← X − K(X + Z) − γG,  Z ← Z + KX, of the old X,  Z⁰ = 0.
// Z adds up how far a worker has been from its neighbours, and presses on until it is not: at rest
// KX = 0, so that all agree, and KZ = −γG, so that the gradients add up to 0. It is the first of
// the methods that are exact on heterogeneous data, and its two vectors a step, X and Z, are what
// `extra` and `exact-diffusion` have made one. Without Z,
//   X^{t+2} = (2I − K) X^{t+1} − (I − K + K²) X^t − γ(G^{t+1} − G^t).
//
// K is s (I − W), s being --mixing-share. Without gradients it stays bounded where no eigenvalue of
// K is above 1. Both vectors go out while the gradient is computed. W is static and symmetric.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const MixingRow mixing = lazy(worker.next_round(), worker.hyperparameter("mixing-share"));
  Communicator& comm = worker.comm();
  const Vector model = worker.replica();
  const Vector integral = worker.keep("integral", model.size());  // Z
  VectorBuffer of_model(model.scalar(), model.size()), of_integral(model.scalar(), model.size());
  while (worker.next_step()) {
    send_to_neighbours(comm, mixing, model);
    send_to_neighbours(comm, mixing, integral);
    const auto gradient = worker.compute_gradient();
    difference_to_neighbours(comm, mixing, model, of_model.view());        // −KX
    difference_to_neighbours(comm, mixing, integral, of_integral.view());  // −KZ
    kernels::add(of_model.view(), model);
    kernels::add(of_integral.view(), model);
    worker.apply(gradient);
    kernels::axpy(-1.0, of_model.view(), integral);
  }
}

}  // namespace

Scheme wang_elia_scheme() {
  return {
      .name = "wang-elia",
      .summary = "gossip that presses on while neighbours differ; models and what they add up to",
      .step = "γ × own gradient, averaged over the graph; no bias on heterogeneous data",
      .cost = {.formula = "max(c, 2Δ(α + t))",
               .rate = "1/ε without noise, without ς",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 return combine_while_adapting_time(s, 2);
               }},
      .source = "Wang & Elia 2010; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric,
                 .least_eigenvalue =
                     [](const Hyperparameters& given) {
                       return 1.0 - 1.0 / hyperparameter(given, "mixing-share");
                     }},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "corrects each step by the ones before; what is published for "
                              "penalties, PG-EXTRA (Shi, Ling, Wu & Yin 2015), is another rule"},
      .hyperparameters = {mixing_share_info},
      .worker = work};
}

}  // namespace trainyard
