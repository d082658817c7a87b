// Data-parallel SGD over a ring all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the
// same bits at every step. A step lasts T_c + 2(n−1)(α + t/n): bandwidth-optimal, but with 2(n−1)
// latencies.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const AllReduce& ring = find_all_reduce("ring");
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    all_reduce_sum(worker.comm(), gradient, ring);
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

}  // namespace

Scheme ring_scheme() {
  return {.name = "ring",
          .summary = "all-reduce of gradients around a ring: reduce-scatter, then all-gather",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + 2(n-1)(α + t/n)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return s.compute + s.all_reduce(find_all_reduce("ring"));
                   }},
          .source = "Patarasuk & Yuan 2009; catalogue 1.2, 2.1",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .worker = work};
}

}  // namespace trainyard
