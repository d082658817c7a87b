// Data-parallel SGD over a ring all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the
// same bits at every step. A step lasts T_c + 2(n−1)(α + t/n): bandwidth-optimal, but with 2(n−1)
// latencies.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void ring_worker(Worker& worker) {
  const AllReduce& ring = find_all_reduce("ring");
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    all_reduce_sum(worker.comm(), gradient, ring);
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

}  // namespace trainyard
