// Stale synchronous parallel: nobody is more than s steps ahead of the slowest (Ho et al., NIPS
// 2013; catalogue §2.4). A worker's clock is the number of steps it has done; it begins step c when
// c − min_j c_j ≤ s, and then reads a model that holds every update of the steps up to c − s − 1
// and all of its own. Between ps-sync, which waits for everybody at every step, and ps-async, which
// waits for nobody: a passing slowdown of one worker is made up for, a lasting one is waited for.
//
// The server answers a push only when the worker may begin its next step. What it may see beyond
// what it must is the difference between two schemes. ssp is eager: every update is applied as it
// comes, as in Petuum. ssp-strict commits in the order of the clocks: an update of step t only when
// t ≤ min_j c_j + s − 1. Then s = 0 is synchronous SGD on the sum of the gradients, to the last bit
// of the order of summation; eagerly, a reader that the port serves late may already see updates of
// the very step it is about to take. s = ∞ is ps-async.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// The server's view of one worker.
struct Client {
  std::uint64_t clock = 0;         // steps done
  std::uint64_t version_read = 0;  // of the model it was sent last
  bool waits = false;              // for the model
  bool held = false;               // its last update is not applied yet
  VectorBuffer update;             // that one
};

class Clocks {
 public:
  explicit Clocks(Server& server)
      : server_(server),
        bound_(static_cast<std::uint64_t>(server.hyperparameter("staleness"))),
        clients_(static_cast<std::size_t>(server.comm().workers())) {
    for (Client& client : clients_) {
      client.update = VectorBuffer(server.shard().scalar(), server.shard().size());
    }
  }

  /// A worker has done step `step`.
  void arrived(int worker, std::uint64_t step) {
    client(worker).clock = step + 1;
    client(worker).waits = true;
  }
  std::uint64_t slowest() const {
    return std::ranges::min_element(clients_, {}, &Client::clock)->clock;
  }

  void apply(int worker, ConstVector update) {
    server_.record_staleness(client(worker).version_read);
    server_.apply(update, 1);
  }
  void hold(int worker, ConstVector update) {
    client(worker).held = true;
    kernels::copy(update, client(worker).update.view());
  }
  /// Applies what the slowest worker's clock now lets through: of one step, in the workers' order.
  void commit() {
    const std::uint64_t before = slowest() + bound_;
    for (int w = 0; w < server_.comm().workers(); ++w) {
      if (!client(w).held || client(w).clock > before) continue;
      client(w).held = false;
      apply(w, client(w).update.view());
    }
  }
  /// Sends the model to all that wait for it and may begin their next step.
  void answer() {
    const std::uint64_t last = slowest() + bound_;
    for (int w = 0; w < server_.comm().workers(); ++w) {
      if (!client(w).waits || client(w).clock > last) continue;
      client(w).waits = false;
      client(w).version_read = server_.version();
      server_.comm().send(w, server_.shard());
    }
  }

 private:
  Client& client(int worker) { return clients_[static_cast<std::size_t>(worker)]; }

  Server& server_;
  std::uint64_t bound_;
  std::vector<Client> clients_;
};

void work(Worker& worker) {
  std::vector<std::uint64_t> clock(static_cast<std::size_t>(worker.comm().servers()));
  while (worker.next_step()) {
    std::ranges::fill(clock, worker.step());
    push(worker.comm(), worker.compute_gradient(), clock);
    pull(worker.comm(), worker.replica());
  }
}

void serve_eager(Server& server) {
  Clocks clocks(server);
  while (const auto gradient = server.comm().receive_any()) {
    clocks.arrived(gradient->from(), gradient->tag());
    clocks.apply(gradient->from(), gradient->vector());
    clocks.answer();
  }
}

void serve_strict(Server& server) {
  Clocks clocks(server);
  while (const auto gradient = server.comm().receive_any()) {
    clocks.arrived(gradient->from(), gradient->tag());
    clocks.hold(gradient->from(), gradient->vector());
    clocks.commit();
    clocks.answer();
  }
}

}  // namespace

Scheme ssp_scheme() {
  return {.name = "ssp",
          .summary = "ps-async, but nobody gets more than --staleness steps ahead of the slowest",
          .step = "γ × each gradient: as ps-async",
          .time = "between ps-async and ps-sync",
          .rate = "as ps-async, staleness bounded",
          .source = "Ho et al. 2013; catalogue 2.4",
          .family = SchemeFamily::bounded,
          .by_arrival = true,
          .home = ModelHome::servers,
          .hyperparameters = {staleness_info},
          .worker = work,
          .server = serve_eager};
}

Scheme ssp_strict_scheme() {
  Scheme row = ssp_scheme();
  row.name = "ssp-strict";
  row.summary = "the same, and no update is seen before its turn: with --staleness 0 synchronous";
  row.server = serve_strict;
  return row;
}

}  // namespace trainyard
