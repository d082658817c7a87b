// Asynchronous parameter server: the server applies every gradient the moment it comes, x ← x − γ
// g, and answers that worker alone (Dean et al., NIPS 2012; catalogue §2.3). Nobody waits for
// anybody else, and gradients are stale: with n workers always busy, by n − 1 updates on average,
// whatever their speeds.
//
// With k servers the shards update independently, so a worker may pull a mixture of versions.
#include "scheme/ps_async.hpp"

#include <vector>

#include "trainyard/collective/parameter_server.hpp"

#include "scheme/push_queue.hpp"

namespace trainyard {

ConstVector push_gradient(Worker& worker, std::span<const std::uint64_t> tags) {
  const ConstVector gradient = worker.compute_gradient();
  push(worker.comm(), gradient, tags);
  return gradient;
}

void ps_async_steps(Worker& worker, PushStep push_step) {
  std::vector<std::uint64_t> versions(static_cast<std::size_t>(worker.comm().servers()), 0);
  while (worker.next_step()) {
    push_step(versions);
    pull(worker.comm(), worker.replica(), versions);
  }
}

void ps_async_worker(Worker& worker) {
  ps_async_steps(worker, [&](std::span<const std::uint64_t> versions) {
    return push_gradient(worker, versions);
  });
}

void ps_async_queueing_worker(Worker& worker) {
  ps_async_steps(worker, [&](std::span<const std::uint64_t> versions) {
    const ConstVector gradient = worker.compute_gradient();
    push_in_order(worker, gradient, versions);
    return gradient;
  });
}

namespace {

/// `next` gives pushes until none can come.
template <typename Next>
void apply_each(Server& server, const Next& next, ReadPush read) {
  while (const std::optional<Message> message = next()) {
    server.record_staleness(message->tag());
    server.apply(read(*message), 1);
    server.comm().send(message->from(), server.shard(), server.version());
  }
}

void serve(Server& server) {
  PushQueue queue(server);
  apply_each(
      server, [&] { return queue.next(); },
      [](const Message& gradient) { return gradient.vector(); });
}

}  // namespace

void ps_async_serve(Server& server, ReadPush read) {
  apply_each(
      server, [&] { return server.comm().receive_any(); }, read);
}

std::optional<Duration> ps_async_step_time(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  return s.compute + (s.workers + 1) * s.whole_model();
}

std::optional<Duration> ps_async_step_time_colocated(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  return s.compute + (s.workers == 1 ? 0 : s.workers) * s.whole_model();
}

Scheme ps_async_scheme() {
  return {
      .name = "ps-async",
      .summary = "the server applies each gradient as it comes and answers that worker alone",
      .step = "γ × each gradient, in full: with n workers it needs a smaller step size, often γ/n",
      .cost =
          {.formula =
               "c + (n+1)(α + t) for the first n updates, then max(c + 2(α + t), n(α + t)) for n "
               "of them",
           .rate = "n/ε + σ²/ε² updates",
           .time = ps_async_step_time,
           .time_colocated = ps_async_step_time_colocated},
      .source = "Dean et al. 2012; catalogue 2.3",
      .family = SchemeFamily::asynchronous,
      .pace = Pace::free,
      .cast = cast::servers,
      .hyperparameters = {queue_info()},
      .worker = ps_async_queueing_worker,
      .server = serve};
}

}  // namespace trainyard
