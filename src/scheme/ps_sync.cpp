// Synchronous parameter server: x ← x − γ · (1/n) Σ_i g_i(x) (Li et al., OSDI 2014; catalogue
// §2.1). A step sends the gradient up and the model down for each worker; with k servers, each
// message is 1/k of it. From lock-step, the step lasts T_c + 2·max(n, k)(α + t/k).
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void ps_sync_worker(Worker& worker) {
  while (worker.next_step()) {
    push(worker.comm(), worker.compute_gradient());
    pull(worker.comm(), worker.replica());
  }
}

void ps_sync_server(Server& server) {
  Communicator& comm = server.comm();
  while (comm.await_message()) {
    const auto gradient = server.zeroed_sum();
    sum_pushes(comm, gradient);
    server.apply(gradient, static_cast<std::uint64_t>(comm.workers()), 1.0 / comm.workers());
    answer_all(comm, server.shard());
  }
}

}  // namespace trainyard
