// Decentralised SGD, adapt-then-combine: x_i ← Σ_j W_ij (x_j − γ g_j(x_j)) (Lian et al., NIPS 2017,
// in the order "ATC" of Yuan's lectures; catalogue §4.2). Nobody holds the model; each worker talks
// to its neighbours only, and a step lasts T_c + Δ(α + t) with Δ the largest degree of the graph.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    neighbour_average(worker.comm(), worker.mixing(), worker.replica());
  }
}

}  // namespace

Scheme gossip_scheme() {
  return {
      .name = "gossip",
      .summary =
          "each worker steps on its own replica, then averages with its neighbours (D-PSGD, ATC)",
      .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
      .time = "c + Δ(α + t), where all have Δ neighbours",
      .rate = "1/ε + σ²/(nε²) + ρς/((1-ρ)ε^{3/2})",
      .source = "Lian et al. 2017; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .has_topology = true,
      .worker = work,
      .step_time = [](const StepSetting& s) -> std::optional<Duration> {
        const auto messages = lockstep_rounds(s.topology.matrices.front());
        if (!messages) return std::nullopt;  // some wait for others, in an order of their own
        return s.compute + static_cast<std::int64_t>(*messages) * s.whole_model();
      }};
}

}  // namespace trainyard
