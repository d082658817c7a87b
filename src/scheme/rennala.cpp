// Rennala SGD (Tyurin & Richtárik, NeurIPS 2023, methods 4 and 5; catalogue §2.19): minibatch SGD
// with a minibatch that whoever is fast computes. The server takes the first B gradients of the
// present model, from whomever they come, x ← x − γ · their mean, and begins anew. Who brings one
// before the B are together computes another at the same model, so a fast worker gives several of
// them and a slow one none. One that was taken at an earlier model comes too late and is dropped.
// So no gradient is stale, and no worker ever waits but for its answer.
//
// The workers' speeds τ_1 ≤ … ≤ τ_n give B gradients in at most min_m (B + m) / Σ_{i≤m} 1/τ_i.
// With B = max(1, ⌈σ²/ε⌉) the time to ‖∇f‖² ≤ ε is optimal up to a constant. B = 1 is ps-backup
// that waits for the first worker; B = n with equal workers, all of whom the server hears at once,
// is ps-sync.
//
// In methods 4 and 5 who is late finishes first what it is at, and with equal workers and B = n,
// whose messages come one after the other, all but the last are: a step may take 2 c. In
// rennala-interrupt, as in the authors' experiments, the server sends the new model to all at the
// close, and who still computes drops its work and begins again.
//
// Before it answers anybody the server takes what has come, so that nobody begins another gradient
// of a model that is changed at that moment. (The paper's server sends the last of the B the old
// model, one line before it changes it; here that worker has the new one.) The answer to who goes
// on at the same model is that model, as in the paper.
//
// With k servers each closes its steps by itself, with the B gradients that it heard first.
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

/// B
int gradients_of_step(int, const Hyperparameters& hyperparameters) {
  return static_cast<int>(hyperparameter(hyperparameters, "gradients"));
}

/// The server's side, which is told of each push.
class Batch {
 public:
  Batch(Server& server, bool interrupts)
      : server_(server),
        needed_(static_cast<std::uint64_t>(server.hyperparameter("gradients"))),
        interrupts_(interrupts),
        keys_(server, ModelRead::common),  // of those that count
        sum_(server.zeroed_sum()) {
    waiting_.reserve(static_cast<std::size_t>(server.comm().workers()));
  }

  void take(const Message& push) {
    keys_.hear(push);
    const bool is_late = push.tag() != server_.version();
    // A late worker that is interrupted has the newest model, or it is on its way.
    if (!interrupts_ || !is_late) waiting_.push_back(push.from());
    if (is_late || !server_.has_steps_left()) return;
    keys_.add_gradient(push, sum_);
    if (++taken_ == needed_) close();
  }

  void answer() {
    for (const int worker : waiting_) keys_.answer(worker, server_.version());
    waiting_.clear();
  }

 private:
  void close() {
    server_.close_step(sum_, needed_, 1.0 / static_cast<double>(needed_));
    sum_ = server_.zeroed_sum();
    taken_ = 0;
    if (!interrupts_) return;
    waiting_.clear();
    for_each_worker(server_.comm(), [&](int worker) { waiting_.push_back(worker); });
    answer();
  }

  Server& server_;
  const std::uint64_t needed_;
  const bool interrupts_;
  WorkingSets keys_;
  Vector sum_;
  std::uint64_t taken_ = 0;
  std::vector<int> waiting_;  // for an answer
};

void serve(Server& server, bool interrupts) {
  Batch batch(server, interrupts);
  while (auto push = server.comm().receive_any()) {
    do {
      batch.take(*push);
      push = server.comm().poll_any();
    } while (push);
    batch.answer();
  }
}

/// The port takes B gradients, and meanwhile its other half answers those before the last; then all
/// have the new model. Of B > n some workers' second gradients are waited for.
std::optional<Duration> step_time(const StepSetting& s) {
  const int needed = gradients_of_step(s.workers, s.hyperparameters);
  if (needed > s.workers || s.touched < 1.0) return std::nullopt;
  return s.compute + (needed + s.workers) * s.whole_model();
}

const HyperparameterInfo gradients{
    .name = "gradients",
    .argument = "B",
    .help = "gradients of one model that make a step; else one for each worker",
    .fallback = 1,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double { return workers; }};

}  // namespace

Scheme rennala_scheme() {
  return {
      .name = "rennala",
      .summary = "the first --gradients of the present model make a step, whoever computed them",
      .step = "γ × mean over B gradients of one model",
      .cost = {.formula =
                   "at most (B+m)/(1/c_1 + … + 1/c_m) for any m of the workers, and messages",
               .rate = "1/ε + σ²/(Bε²)",
               .learns_from = gradients_of_step},
      .source = "Tyurin & Richtárik 2023; catalogue 2.19",
      .family = SchemeFamily::asynchronous,
      .order = {.pace = Pace::server, .outlives_worker = true},
      .cast = cast::servers,
      .messages = {.by_keys = ByKeys::yes},
      .hyperparameters = {gradients},
      .worker = ps_async_worker,
      .server = [](Server& server) { serve(server, false); }};
}

Scheme rennala_interrupt_scheme() {
  Scheme row = rennala_scheme();
  row.name = "rennala-interrupt";
  row.summary = "the same, and the late ones drop their work at once and begin the next step";
  row.cast = cast::one_server;  // a gradient is of one step only
  row.cost.formula = "c + (B+n)(α + t), B ≤ n";
  row.cost.time = step_time;
  row.worker = ps_async_interruptible_worker;
  row.server = [](Server& server) { serve(server, true); };
  return row;
}

}  // namespace trainyard
