// Stale synchronous parallel: nobody is more than s steps ahead of the slowest (Ho et al., NIPS
// 2013; catalogue §2.4). A worker's clock is the number of steps it has done; it begins step c when
// c − min_j c_j ≤ s, and then reads a model that holds every update of the steps up to c − s − 1
// and all of its own. Between ps-sync, which waits for everybody at every step, and ps-async, which
// waits for nobody: a passing slowdown of one worker is made up for, a lasting one is waited for.
//
// Reads come from the worker's cache (ssp_cache.hpp). Every step pushes its update, and nobody
// waits for that; the model is fetched only when the cached one is of a clock below c − s. A
// fetched one is of the slowest clock r, so it lasts until step r + s: workers in lock-step fetch
// once in s + 1 steps (in s, who comes before the others' updates of the last step), and a worker
// that is s ahead of a straggler at every step. Where the servers' ports are so busy that pushes
// come l steps late, r is l steps behind, and a model lasts s + 1 − l. The price is that models are
// older than those of ps-async.
//
// With k servers all shards are fetched as soon as one is too old. If each were fetched at its own
// time, workers would stop k times as often, and drift apart by what they wait there.
//
// The server answers a fetch only when the worker may begin its next step. What may be in the
// answer beyond what must is the difference between two schemes. ssp is eager: every update is
// applied as it comes, as in Petuum. ssp-strict commits in the order of the clocks: an update of
// step t only when t ≤ min_j c_j + s − 1. Then s = 0 is synchronous SGD on the sum of the
// gradients, to the last bit of the order of summation; eagerly, a reader that the port serves late
// may already see updates of the very step it is about to take.
//
// A fetch is by keys (working_set.hpp), those of the next s + 1 minibatches: for as many steps it
// may do. (SSPTable has a clock for each row, and fetches each when it is too old: fewer numbers,
// in more messages.)
//
// s = ∞ is not ps-async: no cached model is ever too old, and nothing is fetched, as in Petuum
// without eager scatter (essp). Each worker trains by itself from the common start, and the servers
// add up what all of them found.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"
#include "scheme/ssp_cache.hpp"

namespace trainyard {

namespace {

// A push's tag: the step, and below it whether the worker waits for the model. An answer's tag is
// the model's clock.
constexpr std::uint64_t wants_model = 1;

/// The server's view of one worker.
struct Client {
  std::uint64_t& clock;         // steps done
  std::uint64_t& version_read;  // of the model it was sent last
  std::uint64_t& own_since;     // updates of its own that were applied to that since
  std::uint64_t& held;          // 1: its last update is not applied yet
  bool waits = false;           // for the model
  Vector update{};              // the one that is held
};

class Clocks {
 public:
  Clocks(Server& server, WorkingSets& keys, bool strict)
      : server_(server),
        keys_(keys),
        bound_(static_cast<std::uint64_t>(server.hyperparameter("staleness"))) {
    const auto workers = static_cast<std::size_t>(server.comm().workers());
    const std::span<std::uint64_t> counts = server.keep_counts("clients", 4 * workers);
    for (std::size_t w = 0; w < workers; ++w) {
      const auto own = counts.subspan(4 * w, 4);
      clients_.push_back(
          {.clock = own[0], .version_read = own[1], .own_since = own[2], .held = own[3]});
      if (!strict) continue;
      clients_[w].update = server.keep(fmt::format("held({})", w), server.shard().size());
    }
  }

  void arrived(const Message& push) {
    client(push.from()).clock = (push.tag() >> 1) + 1;
    client(push.from()).waits = (push.tag() & wants_model) != 0;
  }
  std::uint64_t slowest() const {
    std::uint64_t least = clients_.front().clock;
    for (const Client& client : clients_) least = std::min(least, client.clock);
    return least;
  }

  void apply(int worker, ConstVector update) {
    // It was computed at what was sent last and at all own updates.
    server_.record_staleness(client(worker).version_read + client(worker).own_since++);
    server_.apply(update, 1);
  }
  /// One at most: who has done the step after the last that is let through waits for the model.
  void hold(int worker, ConstVector update) {
    client(worker).held = 1;
    kernels::copy(update, client(worker).update);
  }
  /// Applies what the slowest worker's clock now lets through: of one step, in the workers' order.
  void commit() {
    const std::uint64_t before = slowest() + bound_;
    for (int w = 0; w < server_.comm().workers(); ++w) {
      if (client(w).held == 0 || client(w).clock > before) continue;
      client(w).held = 0;
      apply(w, client(w).update);
    }
  }
  /// Sends the model to all that wait for it and may begin their next step.
  void answer() {
    const std::uint64_t clock = slowest();
    for (int w = 0; w < server_.comm().workers(); ++w) {
      if (!client(w).waits || client(w).clock > clock + bound_) continue;
      client(w).waits = false;
      client(w).version_read = server_.version();
      client(w).own_since = 0;
      keys_.answer(w, clock);
    }
  }

 private:
  Client& client(int worker) { return clients_[static_cast<std::size_t>(worker)]; }

  Server& server_;
  WorkingSets& keys_;
  std::uint64_t bound_;
  std::vector<Client> clients_;
};

void work(Worker& worker) {
  SspCache cache(worker);
  WorkingSet keys(worker, cache.longest());
  std::vector<std::uint64_t> tags(cache.clocks().size());
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    const bool fetches = !cache.is_fresh(worker.step() + 1);
    std::ranges::fill(tags, worker.step() << 1 | (fetches ? wants_model : 0));
    if (fetches) {
      keys.push(gradient, tags);
    } else {
      keys.push_alone(gradient, tags);
    }
    cache.apply_own(gradient);
    if (!fetches) continue;
    keys.pull(tags);  // all that was pushed is in it
    for (std::size_t k = 0; k < tags.size(); ++k) cache.refreshed(k, tags[k]);
  }
}

/// Takes what has arrived, and only then answers: so that of workers in lock-step the first one's
/// fetch has the others' updates of the same step in it.
void serve(Server& server, bool strict) {
  Communicator& comm = server.comm();
  WorkingSets keys(server, ModelRead::each);
  Clocks clocks(server, keys, strict);
  const auto take = [&](const Message& push) {
    const ConstVector gradient = keys.heard_gradient(push);
    keys.worker_stepped(push.from(), gradient, push.tag() >> 1);
    clocks.arrived(push);
    if (strict) {
      clocks.hold(push.from(), gradient);
      clocks.commit();
    } else {
      clocks.apply(push.from(), gradient);
    }
  };
  while (const auto first = comm.receive_any()) {
    take(*first);
    for (int more = 1; more < comm.workers(); ++more) {
      const auto next = comm.poll_any();
      if (!next) break;
      take(*next);
    }
    clocks.answer();
  }
}

void serve_eager(Server& server) {
  serve(server, false);
}
void serve_strict(Server& server) {
  serve(server, true);
}

}  // namespace

Scheme ssp_scheme() {
  return {
      .name = "ssp",
      .summary =
          "nobody is more than --staleness steps ahead, and models no older than that "
          "come from a cache",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula =
                   "max(c, n(α + t)), and once in s + 1 steps (or s) a fetch, 2(α + t) or more",
               .rate = "as ps-async, staleness bounded"},
      .source = "Ho et al. 2013; catalogue 2.4",
      .family = SchemeFamily::bounded,
      // Not at random, but a few steps do not show how often it fetches.
      .order = {.rhythm = Rhythm::by_chance},
      .cast = cast::servers,
      .messages = {.by_keys = ByKeys::yes},
      .optimizers =
          {.range = OptimizerRange::plain,
           .no_l1 = "reads a cache that its worker's updates move, −γ g each"},  // the cached model
                                                                                 // moves with its
                                                                                 // worker's updates
      .hyperparameters = {staleness_info},
      .worker = work,
      .server = serve_eager};
}

Scheme ssp_strict_scheme() {
  Scheme row = ssp_scheme();
  row.name = "ssp-strict";
  row.summary = "the same, and no update is seen before its turn: with --staleness 0 synchronous";
  row.server = serve_strict;
  row.order.repeats_with = "--staleness 0";
  return row;
}

}  // namespace trainyard
