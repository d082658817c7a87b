// Gossip with periodic global averaging: decentralised SGD whose every H-th round is an all-reduce
// (Chen, Yuan, Zhang, Pan, Xu & Yin, ICML 2021, Algorithm 1; catalogue §4.2). Gossip lets replicas
// drift apart by what a sparse graph cannot mix; a rare exact average brings them together for
// 1/H of its price. H = 1 is synchronous SGD, H = ∞ is gossip, and over a graph without links it is
// local SGD.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"

#include "scheme/all_reduce.hpp"
#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto global_period = static_cast<std::uint64_t>(worker.hyperparameter("global-period"));
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    if ((worker.step() + 1) % global_period == 0) {
      all_reduce_mean(worker.comm(), worker.replica(), worker.collective());
    } else {
      neighbour_average(worker.comm(), worker.mixing(), worker.replica());
    }
  }
}

}  // namespace

Scheme gossip_pga_scheme() {
  return {.name = "gossip-pga",
          .summary = "gossip, and an all-reduce of the models in every --global-period-th round",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .time = "c + Δ(α + t), every H-th step c + the time of the collective",
          .rate = "1/ε + σ²/(nε²) + C ρ^{2/3}/ε^{3/2}, C smaller than gossip's",
          .source = "Chen et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .has_topology = true,
          .has_collective = true,
          .has_momentum = false,
          .hyperparameters = {{.name = "global-period",
                               .argument = "H",
                               .help = "rounds from one average over all workers to the next",
                               .fallback = 6,
                               .low = 1,
                               .high = 1e12,
                               .whole = true}},
          .worker = work,
          .server = all_reduce_server,
          .step_time = [](const StepSetting& s) -> std::optional<Duration> {
            if (hyperparameter(s.hyperparameters, "global-period") == 1) {
              return all_reduce_step_time(s, s.collective);
            }
            return s.compute + neighbour_round_time(s);
          }};
}

}  // namespace trainyard
