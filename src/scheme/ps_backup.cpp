// Synchronous SGD with backup workers (Chen, Pan, Monga, Bengio & Jozefowicz 2016; TensorFlow's
// SyncReplicasOptimizer; catalogue §2.6). Of n workers b are spares: step t closes when the first
// N = n − b gradients taken at the model of step t are there, x ← x − γ · their mean. The others
// come too late and are dropped, by their tag: they have cost computing, and the server's port, and
// count for nothing. Who comes too late is sent the newest model and takes part in the newest step.
// So no gradient is stale, and nobody waits for the b slowest; but whoever is always slow is never
// heard, and its data with it.
//
// If computing takes an exponentially distributed time with mean c, N of n workers that all begin
// at once take (H_n − H_b) c on average, with H the harmonic numbers: 2.72 c for 8 of 8, 1.83 c for
// 8 of 9, 1.43 c for 8 of 10. That is a step of ps-backup-interrupt, whose server sends the new
// model to all: who still computes drops its work and begins again. In ps-backup the late ones
// finish it first, as in TensorFlow, so b workers enter each step late, and it takes 2.03 c and
// 1.72 c. Either way what comes too late still occupies the port.
//
// With k servers each closes its steps by itself, with the N it heard first; workers tag a gradient
// with each server's step. None of them waits for ever: of all servers take the one whose last
// close was earliest; who took part in it waits at no other, so all of them push again, and N close
// its next step.
//
// The paper recommends 5 % of spares: of n workers ⌈n / 20⌉, where --backups does not say
// otherwise.
#include <cmath>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

/// N
int needed_of(int workers, const Hyperparameters& hyperparameters) {
  return workers - static_cast<int>(hyperparameter(hyperparameters, "backups"));
}

/// With `interrupts`, whoever is late is told at once; else when it comes with its gradient.
void serve_with_spares(Server& server, bool interrupts) {
  Communicator& comm = server.comm();
  const int needed = comm.workers() - static_cast<int>(server.hyperparameter("backups"));
  WorkingSets keys(server, ModelRead::common);  // of those that count
  // Added up in the order of the ranks, so that without spares the bits are those of ps-sync.
  std::vector<std::optional<Message>> in_time(static_cast<std::size_t>(comm.workers()));
  int heard = 0;
  while (auto gradient = comm.receive_any()) {
    const int from = gradient->from();
    keys.hear(*gradient);
    const bool is_late = gradient->tag() != server.version();
    if (is_late || !server.has_steps_left()) {
      gradient.reset();
      // A worker that is interrupted has the newest model, or it is on its way; but a process that
      // has not heard yet that the last step is closed has begun another, and waits for an answer.
      if (!interrupts || !is_late) keys.answer(from, server.version());
      continue;
    }
    in_time[static_cast<std::size_t>(from)].emplace(std::move(*gradient));
    if (++heard < needed) continue;
    const auto sum = server.zeroed_sum();
    for (const auto& each : in_time) {
      if (each) keys.add_gradient(*each, sum);
    }
    server.close_step(sum, static_cast<std::uint64_t>(needed), 1.0 / needed);
    heard = 0;
    for_each_worker(comm, [&](int worker) {
      auto& each = in_time[static_cast<std::size_t>(worker)];
      if (!each && !interrupts) return;
      each.reset();
      keys.answer(worker, server.version());
    });
  }
}

void serve(Server& server) {
  serve_with_spares(server, false);
}
void serve_interrupting(Server& server) {
  serve_with_spares(server, true);
}

/// The port takes N gradients, then its other half answers all, those in time and those too late.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  const auto spares = static_cast<int>(hyperparameter(s.hyperparameters, "backups"));
  return s.compute + (s.workers - spares) * s.keyed_push() + s.workers * s.keyed_pull();
}

/// One of the N is on the server's machine. All others are answered, the last of them not before
/// the first push of another machine is there.
std::optional<Duration> step_time_colocated(const StepSetting& s) {
  if (s.servers > 1 || s.touched < 1.0) return std::nullopt;
  if (s.workers == 1) return s.compute;
  const auto spares = static_cast<int>(hyperparameter(s.hyperparameters, "backups"));
  return s.compute + std::max(2 * (s.workers - 1) - spares, s.workers) * s.whole_model();
}

const HyperparameterInfo backups{
    .name = "backups",
    .argument = "B",
    .help =
        "workers that a step does not wait for; else one in 20 of "
        "them, rounded up",
    .low = 0,
    .high = 1e6,
    .whole = true,
    .of_workers = true,
    .run_fallback = [](int workers, const Hyperparameters&) { return std::ceil(0.05 * workers); }};

}  // namespace

Scheme ps_backup_scheme() {
  return {.name = "ps-backup",
          .summary = "ps-sync that does not wait for the --backups slowest: they are dropped",
          .step = "γ × mean over the gradients that came in time",
          .cost = {.formula = "c + (2n - b)(α + t), c of the (n-b)-th fastest",
                   .rate = "1/ε + σ²/((n-b)ε²)",
                   .time = step_time,
                   .time_colocated = step_time_colocated,
                   .learns_from = needed_of},
          .source = "Chen et al. 2016; catalogue 2.6",
          .family = SchemeFamily::synchronous,
          .order = {.pace = Pace::server, .repeats_with = "--backups 0", .outlives_worker = true},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .hyperparameters = {backups},
          .worker = ps_async_worker,
          .server = serve};
}

Scheme ps_backup_interrupt_scheme() {
  Scheme row = ps_backup_scheme();
  row.name = "ps-backup-interrupt";
  row.summary = "the same, and the late ones drop their work at once and begin the next step";
  row.cast = cast::one_server;  // a gradient is of one step only
  row.worker = ps_async_interruptible_worker;
  row.server = serve_interrupting;
  row.cost.time = [](const StepSetting& s) -> std::optional<Duration> {
    return s.touched < 1.0 ? std::nullopt : step_time(s);  // its models go whole
  };
  row.cost.time_colocated = nullptr;
  return row;
}

}  // namespace trainyard
