// Stale synchronous parallel with eager scatter (Dai, Kumar, Wei, Ho, Gibson & Xing, AAAI 2015;
// catalogue §2.4): the bound of ssp, but nobody asks for the model. Whenever the slowest clock
// advances, the server sends its model to everyone; a worker keeps the last one it got, with its
// own updates since on top, and begins step c as soon as it has the model of clock c − s. Updates
// go out without waiting for an answer, and models come in while the worker computes: transfer
// hides behind computing. Where ssp reads the same cached model for up to s + 1 steps, a scattered
// one is as new as the last advance; the price is n models a step.
//
// What is scattered at clock c holds every update of the steps before c. s = 0 is synchronous SGD
// on the sum of the gradients, however slow the network: when clock c is reached nobody has begun
// step c, so that nothing can leak. At the end everybody waits for the last scatter.
//
// Gradients go by keys (working_set.hpp); models go whole, as they are sent before anybody asks.
//
// The k-th scatter of a server belongs to clock k, and its tag says how many of the receiver's own
// updates are in it. A push has for tag the clock of the model it was computed at.
#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"
#include "scheme/ssp_cache.hpp"

namespace trainyard {

namespace {

/// Keeps a worker's cache up to date with what the servers scatter.
class Scatters {
 public:
  explicit Scatters(Worker& worker)
      : worker_(worker),
        cache_(worker),
        own_inside_(cache_.clocks().size(), worker.step()),
        first_own_(worker.step()) {}

  std::span<const std::uint64_t> clocks() const { return cache_.clocks(); }

  void wait_until_fresh(std::uint64_t step) {
    for (std::size_t k = 0; k < own_inside_.size(); ++k) {
      while (!cache_.is_fresh(k, step)) take(k, worker_.comm().receive(server(k)));
    }
  }
  void wait_for_last(std::uint64_t clock) {
    for (std::size_t k = 0; k < own_inside_.size(); ++k) {
      while (clocks()[k] < clock) take(k, worker_.comm().receive(server(k)));
    }
  }
  void take_what_has_arrived() {
    for (std::size_t k = 0; k < own_inside_.size(); ++k) {
      while (const auto scattered = worker_.comm().poll(server(k))) take(k, *scattered);
    }
  }

  /// The update that has just been pushed; kept until it is in what is scattered.
  void apply_own(ConstVector gradient) {
    cache_.apply_own(gradient);
    if (spare_.empty()) spare_.emplace_back(gradient.scalar(), gradient.size());
    kernels::scaled_copy(-worker_.step_size(), gradient, spare_.front().view());
    own_.splice(own_.end(), spare_, spare_.begin());
  }

 private:
  int server(std::size_t index) const { return worker_.comm().server(static_cast<int>(index)); }

  void take(std::size_t k, const Message& scattered) {
    own_inside_[k] = scattered.tag();
    const std::uint64_t inside_all = *std::ranges::min_element(own_inside_);
    for (; first_own_ < inside_all; ++first_own_) spare_.splice(spare_.end(), own_, own_.begin());

    const Vector shard = cache_.shard(k);
    scattered.copy_to(shard);
    std::uint64_t number = first_own_;
    for (const VectorBuffer& update : own_) {
      if (number++ < own_inside_[k]) continue;
      kernels::add(even_split(update.view(), static_cast<int>(k), worker_.comm().servers()), shard);
    }
    cache_.refreshed(k, clocks()[k] + 1);
  }

  Worker& worker_;
  SspCache cache_;
  std::vector<std::uint64_t> own_inside_;  // how many, of each server's model
  std::list<VectorBuffer> own_, spare_;    // lists, as their nodes move without allocation
  std::uint64_t first_own_;                // the number of the oldest in own_
};

void work(Worker& worker) {
  Scatters scatters(worker);
  WorkingSet keys(worker);
  while (worker.next_step()) {
    scatters.wait_until_fresh(worker.step());
    scatters.take_what_has_arrived();
    const auto gradient = worker.compute_gradient();
    keys.push_alone(gradient, scatters.clocks());
    scatters.apply_own(gradient);
  }
  scatters.wait_for_last(worker.step());
}

/// The server's view of one worker.
struct Client {
  std::uint64_t& clock;      // steps done
  std::uint64_t clock_read;  // of the model it computed at last
};

/// For each worker, how many updates of the others were in what was scattered at each clock that
/// somebody may still compute at.
class Scattered {
 public:
  /// All are at that clock, and so many updates have been made.
  Scattered(std::size_t workers, std::uint64_t clock, std::uint64_t version)
      : workers_(workers), others_(workers, version - clock), first_(clock) {}

  std::uint64_t others(std::uint64_t clock, std::size_t worker) const {
    return others_[static_cast<std::size_t>(clock - first_) * workers_ + worker];
  }
  void add(std::uint64_t version, const std::vector<Client>& clients) {
    for (const Client& client : clients) others_.push_back(version - client.clock);
  }
  void forget_before(std::uint64_t clock) {
    const std::size_t old = static_cast<std::size_t>(clock - first_) * workers_;
    if (2 * old < others_.size()) return;  // what is left is moved seldom, so cheaply
    others_.erase(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(old));
    first_ = clock;
  }

 private:
  std::size_t workers_;
  std::vector<std::uint64_t> others_;  // [clocks × workers]
  std::uint64_t first_;
};

std::vector<Client> clients_of(Server& server) {
  std::vector<Client> clients;
  for (std::uint64_t& clock :
       server.keep_counts("clocks", static_cast<std::size_t>(server.comm().workers()))) {
    clients.push_back({.clock = clock, .clock_read = clock});
  }
  return clients;
}

std::uint64_t slowest_of(const std::vector<Client>& clients) {
  std::uint64_t least = clients.front().clock;
  for (const Client& client : clients) least = std::min(least, client.clock);
  return least;
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  std::vector<Client> clients = clients_of(server);
  WorkingSets keys(server, ModelRead::common);
  std::uint64_t slowest = slowest_of(clients);  // and all are there when a leg begins
  Scattered scattered(clients.size(), slowest, server.version());
  while (const auto gradient = comm.receive_any()) {
    const auto from = static_cast<std::size_t>(gradient->from());
    Client& client = clients[from];
    client.clock_read = gradient->tag();
    // All of its own were in what it computed at.
    server.record_staleness(scattered.others(client.clock_read, from) + client.clock++);
    server.apply(keys.heard_gradient(*gradient), 1);
    if (slowest_of(clients) == slowest) continue;
    ++slowest;
    scattered.add(server.version(), clients);
    scattered.forget_before(std::ranges::min_element(clients, {}, &Client::clock_read)->clock_read);
    for_each_worker(comm, [&](int worker) {
      comm.send(worker, server.shard(), clients[static_cast<std::size_t>(worker)].clock);
    });
  }
}

}  // namespace

Scheme essp_scheme() {
  return {
      .name = "essp",
      .summary = "ssp, the server sends the model to all whenever the slowest has advanced",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "between max(c, n(α + t)) and c + 2n(α + t)",
               .rate = "as ps-async, staleness bounded"},
      .source = "Dai et al. 2015; catalogue 2.4",
      .family = SchemeFamily::bounded,
      .cast = cast::servers,
      .messages = {.by_keys = ByKeys::without_regulariser},  // who has read what is not known here
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "reads its own updates, −γ g each, on top of what its servers sent"},
      .hyperparameters = {staleness_info},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
