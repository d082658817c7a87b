// Decentralised SGD, adapt-then-combine: x_i ← Σ_j W_ij (x_j − γ g_j(x_j)) (Lian et al., NIPS 2017,
// in the order "ATC" of Yuan's lectures; catalogue §4.2). Nobody holds the model; each worker talks
// to its neighbours only, and a step lasts T_c + Δ(α + t) with Δ the largest degree of the graph.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void gossip_worker(Worker& worker) {
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    neighbour_average(worker.comm(), worker.mixing(), worker.replica());
  }
}

}  // namespace trainyard
