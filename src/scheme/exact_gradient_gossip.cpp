// Gossip of models with exact gradients: x_i ← Σ_j W_ij x_j − γ · (1/n) Σ_j g_j(x_j). The "crude
// idea" of Yuan's lectures on the way from gossip to gradient tracking (catalogue §4.2): what keeps
// gossip on heterogeneous data from the optimum is that each worker steps along its own gradient,
// so give all of them the mean, by an all-reduce.
//
// It shows what gradient tracking is an approximation of, and why nobody trains like that. The
// difference x_i − x̄ does not see the gradients at all: it shrinks by W in every round, and
// replicas that begin alike stay alike, so that over any graph this is synchronous SGD; and yet a
// step costs the all-reduce and the round of gossip. Gradient tracking gets the same fixed point
// out of messages to neighbours.
//
// As in d-psgd the models go out before the gradient is computed: neither needs the other.
#include "trainyard/collective/all_reduce.hpp"
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
    all_reduce_sum(worker.comm(), gradient, collective_of(worker));
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  const auto mixed = combine_while_adapting_time(s);
  if (!mixed) return std::nullopt;
  return *mixed + s.all_reduce(s.collective());
}

}  // namespace

Scheme exact_gradient_gossip_scheme() {
  return {
      .name = "exact-gradient-gossip",
      .summary =
          "d-psgd along the exact mean gradient: an all-reduce of gradients, and models to and "
          "from neighbours",
      .step = "γ × mean over workers",
      .cost = {.formula = "max(c, Δ(α + t)) + 2(n-1)(α + t/n), or what another collective takes",
               .rate = "1/ε + σ²/(nε²)",
               .time = step_time},
      .source = "Kun Yuan 2024; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology", "collective"},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
