// Asynchronous parameter server with a bound on values instead of clocks: nobody shall compute at a
// model that has moved by V or more, in any parameter, since (Dai, Wei, Kumar, Kim, Ho, Gibson &
// Xing, NIPS 2014 workshop; catalogue §2.5). The server keeps the version that each worker read
// last. Before it applies an update it looks how far the model would then be from the oldest of
// these versions, in the greatest norm; if that is V or more, the update waits, and its worker with
// it, until whoever holds that version has pushed and pulled. Early in training, when gradients are
// large, workers wait for each other as in ps-sync; late, when they are small, for nobody.
//
// The laggard itself, the worker with the oldest version (of equals the first), is never delayed:
// so somebody can always go on, and one update may exceed the bound. V → 0 has the workers take
// turns, in the order of their ranks, whatever their speeds; V = ∞ is ps-async, message by message.
// For reads always go to the server: a bound on clocks can be checked at the worker, which knows
// how old its copy is (ssp), but how far the model has moved from that copy only the server knows.
//
// A worker that has ended says so, with a message of no bytes: it holds nobody up any more. With k
// servers each bounds its own shard, which bounds the whole, as the norm is a maximum.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

constexpr std::uint64_t leaves = std::numeric_limits<std::uint64_t>::max();  // as a version

void work(Worker& worker) {
  ps_async_worker(worker);
  Communicator& comm = worker.comm();
  for (int k = 0; k < comm.servers(); ++k) {
    comm.send(comm.server(k), worker.replica().subspan(0, 0), leaves);
  }
}

/// The server's view of one worker.
struct Holder {
  std::uint64_t version = 0;  // that it read last; `leaves` when it reads no more
  Vector model;               // that one
  std::optional<Message> update;
};

class Bound {
 public:
  explicit Bound(Server& server)
      : server_(server),
        keys_(server, ModelRead::each),
        bound_(server.hyperparameter("value-bound")) {
    for (int w = 0; w < server.comm().workers(); ++w) {
      const Vector model = server.keep(fmt::format("read({})", w), server.shard());
      holders_.push_back({.version = server.version(), .model = model, .update = {}});
    }
    waiting_.reserve(holders_.size());
  }

  void arrived(Message message) {
    const int from = message.from();
    if (message.tag() == leaves) {
      holder(from).version = leaves;
    } else {
      keys_.hear(message);
      holder(from).update.emplace(std::move(message));
      waiting_.push_back(from);
    }
  }

  /// Each update that is applied may let others through: those that came first go first.
  void apply_what_may_be() {
    while (true) {
      const int laggard = this->laggard();
      const auto next = std::ranges::find_if(
          waiting_, [&](int worker) { return worker == laggard || keeps_bound(worker, laggard); });
      if (next == waiting_.end()) return;
      const int worker = *next;
      waiting_.erase(next);
      apply(worker);
    }
  }

 private:
  Holder& holder(int worker) { return holders_[static_cast<std::size_t>(worker)]; }

  int laggard() const {
    return static_cast<int>(std::ranges::min_element(holders_, {}, &Holder::version) -
                            holders_.begin());
  }

  bool keeps_bound(int worker, int laggard) {
    return kernels::distance_after_step(server_.step_size(), keys_.gradient(*holder(worker).update),
                                        server_.shard(), holder(laggard).model) < bound_;
  }

  void apply(int worker) {
    Holder& reader = holder(worker);
    server_.record_staleness(reader.version);
    server_.apply(keys_.gradient(*reader.update), 1);
    reader.update.reset();
    reader.version = server_.version();
    kernels::copy(server_.shard(), reader.model);
    keys_.answer(worker, server_.version());
  }

  Server& server_;
  WorkingSets keys_;
  double bound_;
  std::vector<Holder> holders_;
  std::vector<int> waiting_;  // in the order of arrival
};

void serve(Server& server) {
  Bound bound(server);
  while (auto message = server.comm().receive_any()) {
    bound.arrived(std::move(*message));
    bound.apply_what_may_be();
  }
}

}  // namespace

Scheme value_bound_scheme() {
  return {
      .name = "value-bound",
      .summary = "ps-async, but an update waits that would take the model too far from one in use",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "between ps-async and taking turns",
               .rate = "as ps-async, staleness bounded in value"},
      .source = "Dai et al. 2014; catalogue 2.5",
      .family = SchemeFamily::bounded,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .messages = {.by_keys = ByKeys::yes},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "bounds how far updates of −γ g may move the model"},
      .hyperparameters = {{.name = "value-bound",
                           .argument = "V",
                           .help = "how far a parameter may move from what a worker computes at",
                           .fallback = 1.0,
                           .low = 0.0,
                           .high = 1e300}},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
