// Ringmaster ASGD (Maranjyan, Tyurin & Richtárik, ICML 2025; catalogue §2.18): ps-async that throws
// old gradients away. A gradient comes that was taken δ updates ago:
//
//   δ < R   x ← x − γ g
//   δ ≥ R   it is dropped
//
// and either way its worker goes on from the newest model (Algorithm 4). A step is an update. R = ∞
// is ps-async; R = 1 takes fresh gradients alone, which is ps-backup that waits for the first
// worker. With R = max(1, ⌈σ²/ε⌉) the time to ‖∇f‖² ≤ ε is optimal up to a constant, whatever the
// workers' speeds and however they change: γ may be of the order of 1/(LR), and a worker too slow
// to bring anything within R updates costs nobody anything.
//
// In ringmaster-interrupt a worker is stopped as soon as its delay reaches R (Algorithm 5): the
// server sends it the new model, at which it begins again. So it never computes what would be
// dropped; in ringmaster it does, and a worker that is always slower than R updates is never heard.
// What was on its way when its worker was stopped comes too late and is dropped.
//
// With k servers each decides by itself, by the versions of its own shard: a gradient may be too
// old for one and not for another. Nobody waits for anybody.
//
// Where nobody says how large R is, it is n: equal workers, whose gradients are n − 1 updates old,
// lose nothing.
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"
#include "scheme/push_queue.hpp"

namespace trainyard {

namespace {

/// R
std::uint64_t threshold_of(const Server& server) {
  return static_cast<std::uint64_t>(server.hyperparameter("delay-threshold"));
}

void update(Server& server, WorkingSets& keys, const Message& push) {
  server.record_staleness(push.tag());
  server.close_step(keys.gradient(push), 1, 1.0);
}

void serve(Server& server) {
  const std::uint64_t threshold = threshold_of(server);
  WorkingSets keys(server, ModelRead::each);
  PushQueue queue(server);
  while (const auto push = queue.next()) {
    keys.hear(*push);
    const std::uint64_t delay = server.version() - push->tag();
    if (delay < threshold && server.has_steps_left()) update(server, keys, *push);
    keys.answer(push->from(), server.version());
  }
}

void serve_interrupting(Server& server) {
  Communicator& comm = server.comm();
  const std::uint64_t threshold = threshold_of(server);
  WorkingSets keys(server, ModelRead::each);
  const std::span<std::uint64_t> given =  // versions
      server.keep_counts("given", static_cast<std::size_t>(comm.workers()));
  while (const auto push = comm.receive_any()) {
    keys.hear(*push);
    // Its worker was stopped, and has a newer model, or one is on its way.
    if (server.version() - push->tag() >= threshold) continue;
    if (server.has_steps_left()) update(server, keys, *push);
    for_each_worker(comm, [&](int worker) {
      std::uint64_t& version = given[static_cast<std::size_t>(worker)];
      if (worker != push->from() && server.version() - version < threshold) return;
      version = server.version();
      keys.answer(worker, version);
    });
  }
}

int learns_from_one(int, const Hyperparameters&) {
  return 1;
}

const HyperparameterInfo delay_threshold{
    .name = "delay-threshold",
    .argument = "R",
    .help = "a gradient so many updates old is dropped; else as many as there are workers",
    .fallback = 1,
    .low = 1,
    .high = 1e12,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double { return workers; }};

}  // namespace

Scheme ringmaster_scheme() {
  return {.name = "ringmaster",
          .summary = "ps-async that drops gradients --delay-threshold updates old or older",
          .step = "γ × each gradient, in full; a step is an update",
          .cost = {.formula = "as ps-async; a step is one update",
                   .rate = "R/ε + σ²/ε² updates",
                   .time = ps_async_step_time,
                   .time_colocated = ps_async_step_time_colocated,
                   .learns_from = learns_from_one},
          .source = "Maranjyan et al. 2025; catalogue 2.18",
          .family = SchemeFamily::asynchronous,
          .order = {.pace = Pace::server, .outlives_worker = true},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .hyperparameters = {delay_threshold, queue_info()},
          .worker = ps_async_queueing_worker,
          .server = serve};
}

Scheme ringmaster_interrupt_scheme() {
  Scheme row = ringmaster_scheme();
  row.name = "ringmaster-interrupt";
  row.summary = "the same, and who would be too late drops its work at once and begins again";
  row.cast = cast::one_server;  // a gradient is of one version only
  row.hyperparameters = {delay_threshold};
  row.worker = ps_async_interruptible_worker;
  row.server = serve_interrupting;
  row.cost.time = [](const StepSetting& s) -> std::optional<Duration> {
    return s.touched < 1.0 ? std::nullopt : ps_async_step_time(s);  // its models go whole
  };
  row.cost.time_colocated = nullptr;
  return row;
}

}  // namespace trainyard
