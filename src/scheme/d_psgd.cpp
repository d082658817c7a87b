// Decentralised parallel SGD as it was first published, adapt-while-combine: x_i ← Σ_j W_ij x_j −
// γ g_i(x_i) (Lian et al., NIPS 2017, Algorithm 1; catalogue §4.2). The models go out before the
// gradient is computed, so that communication hides behind computation: a step lasts
// max(T_c, Δ(α + t)), where gossip (adapt-then-combine) takes the sum of both. The price: a
// gradient reaches the neighbours one step later, and on heterogeneous data the replicas stay
// further apart, by γ/(1 − λ + γh) instead of γλ/(1 − λ(1 − γh)) for each eigenvalue λ of W.
#include "trainyard/collective/neighbour_average.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  VectorBuffer scratch;
  while (worker.next_step()) {
    const MixingRow& round = worker.next_round();
    send_to_neighbours(worker.comm(), round, worker.replica());
    const auto gradient = worker.compute_gradient();
    mix_in_neighbours(worker.comm(), round, worker.replica(), scratch);
    worker.apply(gradient);
  }
}

}  // namespace

Scheme d_psgd_scheme() {
  return {.name = "d-psgd",
          .summary =
              "as in the paper: combine while adapting (AWC), the models of before the step sent "
              "meanwhile",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "max(c, Δ(α + t))",
                   .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return combine_while_adapting_time(s);
                   }},
          .source = "Lian et al. 2017; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.members_may_change = true,
                    .rows_by_speed = RowsBySpeed::replicas,
                    .takes_datagrams = true},
          .takes = {"topology"},
          .graphs = {.has_transient = true},
          .worker = work};
}

}  // namespace trainyard
