// A sharded optimizer, ZeRO's first stage (Rajbhandari et al. 2020): the gradients are summed by a
// reduce-scatter, after which worker w has the sum of the w-th part of n; it steps that part of the
// model with an optimizer that keeps that part's state and no other, and an all-gather spreads the
// parts. That is the ring's all-reduce with the optimizer between its two halves: the same messages
// and bytes, T_c + 2(n−1)(α + t/n), and the same bits in every replica, as each part is summed in
// the same order. What the optimizer keeps, one vector with momentum, two with Adam, takes an n-th
// of the memory, and its step an n-th of the time.
#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  const auto own_part = [&](Vector whole) {
    return even_split(whole, comm.rank(), comm.workers());
  };
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    reduce_scatter_sum(comm, gradient);
    worker.apply_to(own_part(worker.replica()), own_part(gradient), 1.0 / comm.workers());
    all_gather(comm, worker.replica());
  }
}

}  // namespace

Scheme zero_1_scheme() {
  return {.name = "zero-1",
          .summary = "reduce-scatter, each worker steps its part of the model, all-gather",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + 2(n-1)(α + t/n)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return s.compute + s.all_reduce(find_all_reduce("ring"));
                   }},
          .source = "Rajbhandari et al. 2020; catalogue 2.1",
          .family = SchemeFamily::synchronous,
          .order = {.rows_by_speed = RowsBySpeed::mean},
          .optimizers = {.no_muon = "steps a part of the model on each worker"},
          .worker = work};
}

}  // namespace trainyard
