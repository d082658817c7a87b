// Quasi-global momentum: gossip whose momentum is that of the averaged models, not of the own
// gradients (Lin, Karimireddy, Stich & Jaggi, ICML 2021, Algorithm 1, QG-DSGDm). On heterogeneous
// data a worker's own momentum points away from where all of them go; the way that its model has
// actually taken, averaging included, is its best local guess of the common direction:
//   x' = x − γ (β m + g);  x_new = Σ_j W_ij x'_j;  m ← μ m + (1 − μ) (x − x_new)/γ.
// β says how much of the momentum a step takes along, μ how far back the momentum looks; the
// paper's experiments have both at 0.9. With β = 0 it is gossip. A step of size 0, as a warm-up may
// begin with, says nothing about the way, and leaves m as it is.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double momentum = worker.hyperparameter("quasi-momentum");
  const double memory = worker.hyperparameter("quasi-memory");
  const Vector direction = worker.keep("quasi-global momentum", worker.replica().size());
  VectorBuffer before(worker.replica().scalar(), worker.replica().size());
  VectorBuffer scratch;
  while (worker.next_step()) {
    kernels::copy(worker.replica(), before.view());
    const auto gradient = worker.compute_gradient();
    kernels::axpy(momentum, direction, gradient);
    worker.apply(gradient);
    neighbour_average(worker.comm(), worker.next_round(), worker.replica(), scratch);

    // In a run none is 0; a library caller's warm-up without the length of a step begins with one.
    if (worker.step_size() == 0.0) continue;
    kernels::axpy(-1.0, worker.replica(), before.view());  // the way that the model has taken
    kernels::scale(memory, direction);
    kernels::axpy((1.0 - memory) / worker.step_size(), before.view(), direction);
  }
}

}  // namespace

Scheme quasi_global_momentum_scheme() {
  return {.name = "qgm",
          .summary = "gossip with the momentum of the averaged models: quasi-global momentum",
          .step =
              "γ × own gradient and momentum, averaged over the graph; β lengthens it as "
              "--momentum does",
          .cost = {.formula = "c + Δ(α + t)",
                   .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return adapt_then_combine_time(s);
                   }},
          .source = "Lin et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.members_may_change = true,
                    .rows_by_speed = RowsBySpeed::replicas,
                    .takes_datagrams = true},
          .takes = {"topology"},
          .graphs = {.has_transient = true},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "has its momentum from how far averaged models have come"},
          .hyperparameters = {{.name = "quasi-momentum",
                               .argument = "BETA",
                               .help = "weight of the averaged models' momentum in a step",
                               .fallback = 0.9,
                               .low = 0.0,
                               .high = 0.9999},
                              {.name = "quasi-memory",
                               .argument = "MU",
                               .help = "weight of the past in that momentum",
                               .fallback = 0.9,
                               .low = 0.0,
                               .high = 0.9999}},
          .worker = work};
}

}  // namespace trainyard
