// Synchronous SGD that loses nothing to stragglers (Tandon, Lei, Dimakis & Karampatziakis, ICML
// 2017; catalogue §2.14): each worker takes the minibatches of s + 1 workers and sends one
// combination of their gradients, coded such that any n − s workers' messages together hold the sum
// of all n. Step t closes when n − s messages of step t are there: x ← x − γ · (1/n) Σ_j g_j, the
// step of ps-sync, from the same samples, whoever was slow. The price is computing s + 1 times as
// much, and keeping s + 1 shares of the data; messages stay as large as they were.
//
// ps-backup pays less and drops gradients instead: it is faster where a minibatch more or less does
// not matter, and biased where somebody is always slow.
//
// As in ps-backup a message that comes too late is dropped by its tag, and its worker goes on with
// the newest step. One server, as a worker's minibatches are those of one step.
//
// The code is exact in real numbers; what single precision loses is multiplied by the weights of
// the decoder. Where s + 1 divides n they are 0 and 1. Otherwise, over random sets of stragglers,
// they times the coefficients come to 4·10² at n = 8, s = 4, and to 2·10⁵ at n = 31, s = 6: two
// digits of the seven are left.
#include <algorithm>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/combined_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_code.hpp"

namespace trainyard {

namespace {

GradientCode code_of(int workers, double stragglers) {
  return make_gradient_code(workers, static_cast<int>(stragglers));
}

/// One server; a worker takes the minibatches of s + 1 of them.
Cast coded_cast(const CastSetting& setting) {
  Cast made = cast::one_server(setting);
  const GradientCode code =
      code_of(setting.workers, hyperparameter(setting.hyperparameters, "stragglers"));
  for (int w = 0; w < setting.workers; ++w) made.shares.push_back(code.shares_of(w));
  return made;
}

void work(Worker& worker) {
  const int server = worker.comm().server(0);
  const GradientCode code = code_of(worker.comm().workers(), worker.hyperparameter("stragglers"));
  const auto coefficients = code.coefficients_of(worker.comm().rank());
  CombinedGradient combined(worker);
  std::uint64_t& step = worker.keep_counts("step", 1).front();
  while (worker.next_step()) {
    worker.comm().send(server, combined.compute(coefficients, step), step);
    step = worker.comm().receive_into(server, worker.replica());
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const int n = comm.workers();
  const GradientCode code = code_of(n, server.hyperparameter("stragglers"));
  const auto needed = static_cast<std::size_t>(n - code.stragglers);
  GradientDecoder decoder(code);
  std::vector<Message> heard;
  std::vector<int> from;
  heard.reserve(needed);
  from.reserve(needed);
  while (auto message = comm.receive_any()) {
    if (message->tag() != server.version() || !server.has_steps_left()) {
      const int late = message->from();
      // A process that has not heard yet that the last step is closed computes one more. Its answer
      // names the step after that: minibatches come in order.
      const std::uint64_t next = std::max(server.version(), message->tag() + 1);
      message.reset();
      comm.send(late, server.shard(), next);
      continue;
    }
    from.push_back(message->from());
    heard.push_back(std::move(*message));
    if (heard.size() < needed) continue;
    const auto weights = decoder.decode(from);
    const auto sum = server.zeroed_sum();
    for (std::size_t i = 0; i < needed; ++i) kernels::axpy(weights[i], heard[i].vector(), sum);
    heard.clear();
    server.close_step(sum, static_cast<std::uint64_t>(n), 1.0 / n);
    for (const int worker : from) comm.send(worker, server.shard(), server.version());
    from.clear();
  }
}

/// The port takes n − s messages, then its other half answers all.
std::optional<Duration> step_time(const StepSetting& s) {
  const auto stragglers = static_cast<int>(hyperparameter(s.hyperparameters, "stragglers"));
  return (stragglers + 1) * s.compute + (2 * s.workers - stragglers) * s.whole_model();
}

}  // namespace

Scheme gradient_coding_scheme() {
  return {
      .name = "gradient-coding",
      .summary = "workers compute --stragglers + 1 gradients each: any n - s of them tell the sum",
      .step = "γ × mean over workers",
      .cost = {.formula = "(s+1)c + (2n - s)(α + t), c of the (n-s)-th fastest",
               .rate = "1/ε + σ²/(nε²)",
               .time = step_time},
      .source = "Tandon et al. 2017; catalogue 2.14",
      .family = SchemeFamily::synchronous,
      .order = {.pace = Pace::server, .outlives_worker = true},
      .cast = coded_cast,
      .hyperparameters = {{.name = "stragglers",
                           .argument = "S",
                           .help = "workers that a step can do without",
                           .fallback = 1,
                           .low = 0,
                           .high = 1e6,
                           .whole = true,
                           .of_workers = true}},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
