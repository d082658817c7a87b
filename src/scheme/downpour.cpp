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
#include <algorithm>
#include <cstdint>
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

void work(Worker& worker) {
  const auto fetch_period = static_cast<std::uint64_t>(worker.hyperparameter("fetch-period"));
  const auto push_period = static_cast<std::uint64_t>(worker.hyperparameter("push-period"));
  const Vector replica = worker.replica();
  const Vector accrued = worker.keep("accrued gradients", replica.size());
  std::vector<std::uint64_t> versions(static_cast<std::size_t>(worker.comm().servers()), 0);
  std::vector<std::uint64_t> tags(versions.size());
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
  }
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
                              steps_between("push-period", "N", "steps from push to push")},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
