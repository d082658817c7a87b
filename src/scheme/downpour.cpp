// Downpour SGD (Dean et al., NIPS 2012, algorithm 7.1; catalogue §2.7): ps-async in which a worker
// talks less often, and steps on its own replica in between. In step t, counted from 0:
//   if n_fetch divides t: x_i ← the servers' model
//   g ← ∇f(x_i),  accrued ← accrued + g,  x_i ← x_i − γ g
//   if n_push divides t: push accrued, accrued ← 0
// The server applies what is pushed the moment it comes, as one gradient; with --optimizer adagrad
// it is DistBelief's. The worker's own steps are plain. n_fetch = n_push = 1 is ps-async, message
// by message: the request goes with the push.
//
// A fetch replaces the replica, gradients that have accrued and are not pushed included; they reach
// the model with the next push. (The paper lets fetches and pushes go on in the background; here a
// fetch is waited for, a push is not.) With k servers the shards update independently, so a replica
// may be a mixture of versions.
//
// Warm start (§4.1): the first worker takes so many steps alone (--warm-start), and then the others
// fetch the model and join. Gradients that are stale do the most harm at the beginning, when the
// model moves far.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

// A message's tag: the version that its worker fetched last, and below that these two bits.
constexpr std::uint64_t wants_model = 1, brings_gradient = 2;
constexpr int bits = 2;

/// The first worker is alone at first, and at its end if it has not come so far.
class WarmStart {
 public:
  explicit WarmStart(Worker& worker)
      : worker_(worker), steps_(static_cast<std::uint64_t>(worker.hyperparameter("warm-start"))) {}

  /// Waits until this worker is to join, and fetches the model. The first one need not wait.
  void join(std::span<std::uint64_t> versions) {
    if (steps_ == 0 || first()) return;
    worker_.comm().receive(0);
    std::ranges::fill(versions, wants_model);
    push(worker_.comm(), Vector(), versions);
    pull(worker_.comm(), worker_.replica(), versions);
  }
  /// After each step of the first worker, and with `ends` after the last one.
  void let_join(bool ends) {
    if (steps_ == 0 || !first() || joined_ || (!ends && worker_.step() + 1 < steps_)) return;
    joined_ = true;
    for (int other = 1; other < worker_.comm().workers(); ++other) {
      worker_.comm().send_control(other, 0);
    }
  }

 private:
  bool first() const { return worker_.comm().rank() == 0; }

  Worker& worker_;
  const std::uint64_t steps_;
  bool joined_ = false;
};

void work(Worker& worker) {
  const auto fetch_period = static_cast<std::uint64_t>(worker.hyperparameter("fetch-period"));
  const auto push_period = static_cast<std::uint64_t>(worker.hyperparameter("push-period"));
  const Vector replica = worker.replica();
  const Vector accrued = worker.keep("accrued gradients", replica.size());
  std::vector<std::uint64_t> versions(static_cast<std::size_t>(worker.comm().servers()), 0);
  std::vector<std::uint64_t> tags(versions.size());
  WarmStart warm_start(worker);
  warm_start.join(versions);
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    const bool pushes = worker.step() % push_period == 0;
    const bool fetches = (worker.step() + 1) % fetch_period == 0;  // for the next step
    kernels::add(gradient, accrued);
    if (pushes || fetches) {
      const std::uint64_t asks = (fetches ? wants_model : 0) | (pushes ? brings_gradient : 0);
      std::ranges::transform(versions, tags.begin(),
                             [asks](std::uint64_t version) { return version << bits | asks; });
      push(worker.comm(), pushes ? accrued : Vector(), tags);
    }
    if (pushes) kernels::set_to_zero(accrued);
    if (fetches) {
      pull(worker.comm(), replica, versions);
    } else {
      kernels::axpy(-worker.step_size(), gradient, replica);
    }
    warm_start.let_join(false);
  }
  warm_start.let_join(true);
}

void serve(Server& server) {
  const auto push_period = static_cast<std::uint64_t>(server.hyperparameter("push-period"));
  // A worker's first push has one gradient in it, the later ones a period's.
  std::vector<std::uint64_t> gradients(static_cast<std::size_t>(server.comm().workers()), 1);
  while (const auto message = server.comm().receive_any()) {
    if ((message->tag() & brings_gradient) != 0) {
      server.record_staleness(message->tag() >> bits);
      std::uint64_t& count = gradients[static_cast<std::size_t>(message->from())];
      server.apply(message->vector(), count);
      count = push_period;
    }
    if ((message->tag() & wants_model) != 0) {
      server.comm().send(message->from(), server.shard(), server.version());
    }
  }
}

HyperparameterInfo steps_between(std::string name, std::string argument, std::string help) {
  return {.name = std::move(name),
          .argument = std::move(argument),
          .help = std::move(help),
          .fallback = 1,
          .low = 1,
          .high = 1e12,
          .whole = true,
          .cycle = true};
}

/// Without a fetch in the first step nobody waits for the server.
std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "warm-start") > 0) return std::nullopt;
  if (hyperparameter(s.hyperparameters, "fetch-period") > 1) return std::nullopt;
  return ps_async_step_time(s);
}

}  // namespace

Scheme downpour_scheme() {
  return {.name = "downpour",
          .summary = "ps-async that fetches and pushes every so many steps, local steps between",
          .step = "γ × each gradient: as ps-async",
          .cost = {.formula = "as ps-async for a fetch and a push in each step; without either c",
                   .rate = "as ps-async, with larger staleness",
                   .time = step_time},
          .source = "Dean et al. 2012; catalogue 2.7",
          .family = SchemeFamily::asynchronous,
          .pace = Pace::free,
          .cast = cast::servers,
          .hyperparameters = {steps_between("fetch-period", "N", "steps from fetch to fetch"),
                              steps_between("push-period", "N", "steps from push to push"),
                              {.name = "warm-start",
                               .argument = "N",
                               .help = "steps of the first worker before the others join it",
                               .low = 0,
                               .high = 1e12,
                               .whole = true,
                               .in_the_long_run = 0.0}},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
