// Asynchronous parameter server: the server applies every gradient the moment it comes, x ← x − γ
// g, and answers that worker alone (Dean et al., NIPS 2012; catalogue §2.3). Nobody waits for
// anybody else, and gradients are stale: with n workers always busy, by n − 1 updates on average,
// whatever their speeds.
//
// With k servers the shards update independently, so a worker may pull a mixture of versions.
// Gradients and models go by keys (working_set.hpp).
#include "scheme/ps_async.hpp"

#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/listening_gradient.hpp"

#include "scheme/push_queue.hpp"

namespace trainyard {

ConstVector push_gradient(Worker& worker, std::span<const std::uint64_t> tags) {
  const ConstVector gradient = worker.compute_gradient();
  push(worker.comm(), gradient, tags);
  return gradient;
}

void ps_async_steps(Worker& worker, PushStep push_step) {
  const std::span<std::uint64_t> versions = versions_of(worker);
  while (worker.next_step()) {
    push_step(versions);
    pull(worker.comm(), worker.replica(), versions);
  }
}

void ps_async_worker(Worker& worker) {
  WorkingSet keys(worker);
  const std::span<std::uint64_t> versions = versions_of(worker);
  while (worker.next_step()) {
    keys.push(worker.compute_gradient(), versions);
    keys.pull(versions);
  }
}

void ps_async_queueing_worker(Worker& worker) {
  if (worker.choice<QueueOrder>("queue") == QueueOrder::arrival) return ps_async_worker(worker);
  WorkingSet keys(worker);
  const std::span<std::uint64_t> versions = versions_of(worker);
  while (worker.next_step()) {
    keys.push_in_turn(worker.compute_gradient(), versions, [&](int shard) {
      await_turn(worker.comm(), shard, versions[static_cast<std::size_t>(shard)]);
    });
    keys.pull(versions);
  }
}

void ps_async_interruptible_worker(Worker& worker) {
  Communicator& comm = worker.comm();
  const int server = comm.server(0);
  WorkingSet keys(worker);
  ListeningGradient gradients(worker);
  std::uint64_t& version = versions_of(worker).front();
  while (worker.next_step()) {
    const auto gradient = gradients.compute_unless([&](const Message& model) {
      model.copy_to(worker.replica());
      version = model.tag();
    });
    if (!gradient) {
      keys.drop();
      continue;
    }
    keys.push_alone(*gradient, {&version, 1});  // nobody knows who will be interrupted when
    version = comm.receive_into(server, worker.replica());
  }
}

void ps_async_serve(Server& server, ReadPush read) {
  while (const auto message = server.comm().receive_any()) {
    server.record_staleness(message->tag());
    server.apply(read(*message), 1);
    server.comm().send(message->from(), server.shard(), server.version());
  }
}

namespace {

void serve(Server& server) {
  WorkingSets keys(server, ModelRead::each);
  PushQueue queue(server);
  while (const auto push = queue.next()) {
    server.record_staleness(push->tag());
    server.apply(keys.heard_gradient(*push), 1);
    keys.answer(push->from(), server.version());
  }
}

}  // namespace

std::optional<Duration> ps_async_step_time(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  return s.compute + s.workers * s.keyed_push() + s.keyed_pull();
}

std::optional<Duration> ps_async_rounds_time(const StepSetting& s) {
  return hyperparameter(s.hyperparameters, "period") > 1 ? s.compute : ps_async_step_time(s);
}

std::optional<Duration> ps_async_step_time_colocated(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  if (s.workers == 1) return s.compute;
  return s.compute + (s.workers - 1) * s.keyed_push() + s.keyed_pull();
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
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .messages = {.by_keys = ByKeys::yes},
      .hyperparameters = {queue_info()},
      .worker = ps_async_queueing_worker,
      .server = serve};
}

}  // namespace trainyard
