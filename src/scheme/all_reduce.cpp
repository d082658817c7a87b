// Data-parallel SGD over any all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the same
// bits at every step, whichever way the sum is taken; --collective chooses the way, and with it
// what a step costs.
#include "trainyard/collective/all_reduce.hpp"

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void all_reduce_worker(Worker& worker) {
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    all_reduce_sum(worker.comm(), gradient, worker.collective());
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

void all_reduce_server(Server& server) {
  server.collective().serve(server.comm(), server.shard().scalar(), server.dimension());
}

}  // namespace trainyard
