// Asynchronous parameter server: the server applies every gradient the moment it comes, x ← x − γ
// g, and answers that worker alone (Dean et al., NIPS 2012; catalogue §2.3). Nobody waits for
// anybody else, and gradients are stale: with n workers always busy, by n − 1 updates on average,
// whatever their speeds.
//
// With k servers the shards update independently, so a worker may pull a mixture of versions.
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void ps_async_worker(Worker& worker) {
  std::vector<std::uint64_t> versions(static_cast<std::size_t>(worker.comm().servers()), 0);
  while (worker.next_step()) {
    push(worker.comm(), worker.compute_gradient(), versions);
    pull(worker.comm(), worker.replica(), versions);
  }
}

void ps_async_server(Server& server) {
  while (const auto gradient = server.comm().receive_any()) {
    server.record_staleness(gradient->tag());
    server.apply(gradient->vector(), 1);
    server.comm().send(gradient->from(), server.shard(), server.version());
  }
}

}  // namespace trainyard
