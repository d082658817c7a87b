// Data-parallel SGD over any all-reduce: x_i ← x_i − γ · (1/n) Σ_j g_j. All replicas hold the same
// bits at every step, whichever way the sum is taken; --collective chooses the way, and with it
// what a step costs.
#include "scheme/all_reduce.hpp"

#include "trainyard/collective/all_reduce.hpp"

namespace trainyard {

void all_reduce_server(Server& server) {
  server.collective().serve(server.comm(), server.shard().scalar(), server.dimension());
}

Duration all_reduce_step_time(const StepSetting& s, const AllReduce& way) {
  return s.compute + way.duration(s.workers, s.servers, s.parameters, s.network);
}

namespace {

void work(Worker& worker) {
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    all_reduce_sum(worker.comm(), gradient, worker.collective());
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

}  // namespace

Scheme all_reduce_scheme() {
  return {.name = "all-reduce",
          .summary = "all-reduce of gradients in the way that --collective says",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + that of the collective (list collectives)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return all_reduce_step_time(s, s.collective);
                   }},
          .source = "catalogue 2.1, 3",
          .family = SchemeFamily::synchronous,
          .takes = {"collective"},
          .worker = work,
          .server = all_reduce_server};
}

}  // namespace trainyard
