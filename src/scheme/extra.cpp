// EXTRA, an exact first-order algorithm (Shi, Ling, Wu & Yin, SIAM J. Optim. 2015, eq. 2.13;
// catalogue §4.2):
//   X¹ = WX⁰ − γG⁰,  X^{t+2} = (I + W)X^{t+1} − ½(I + W)X^t − γ(G^{t+1} − G^t).
// The difference of two steps of D-PSGD, the older with (I + W)/2: what is left at rest must have
// equal rows and a zero mean gradient. Summed up over the steps it is D-PSGD with a correction,
//   X ← WX − γG + C;  C ← C + ½(W − I)X, of the old X;  C⁰ = 0,
// which is what the program does: in single precision the differences of the line above would leave
// their rounding errors in every later step (exact_diffusion.cpp). The models go out while the
// gradient is computed. W is static and symmetric.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const Vector model = worker.replica();
  const Vector correction = worker.keep("correction", model.size());
  VectorBuffer change(model.scalar(), model.size());
  while (worker.next_step()) {
    const MixingRow& round = worker.next_round();
    send_to_neighbours(worker.comm(), round, model);
    const auto gradient = worker.compute_gradient();
    difference_to_neighbours(worker.comm(), round, model, change.view());
    kernels::add(change.view(), model);
    kernels::add(correction, model);
    worker.apply(gradient);
    kernels::axpy(0.5, change.view(), correction);
  }
}

}  // namespace

Scheme extra_scheme() {
  return {.name = "extra",
          .summary = "d-psgd minus its last step with (I + W)/2: no bias on heterogeneous data",
          .step = "γ × own gradient, averaged over the graph; no bias on heterogeneous data",
          .cost = {.formula = "max(c, Δ(α + t))",
                   .rate = "1/ε without noise, without ς",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return combine_while_adapting_time(s);
                   }},
          .source = "Shi et al. 2015; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_step},
          .worker = work};
}

}  // namespace trainyard
