// FedAsync (Xie, Koyejo & Gupta 2019, Algorithm 1): federated averaging without rounds. Each worker
// takes τ steps of its own from the model x that it was sent, and sends what it has come to, y; the
// server mixes that in the moment it comes, the less the older it is, and answers that worker
// alone:
//   x ← (1 − α_s) x + α_s y,  α_s = α (1 + s)^(−a),
// s being the updates that x has had since it was sent. a = 0 mixes all alike. Nobody waits for
// anybody: who is slow comes more seldom, and counts less each time.
//
// One worker with α = 1 is serial SGD. The paper's weakly convex form adds ρ (y − x) to a worker's
// gradients, as fedprox does, and it names two more functions of s; here ρ = 0, and this one, which
// did best there.
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const std::span<std::uint64_t> versions = versions_of(worker);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    push(worker.comm(), worker.replica(), versions);
    pull(worker.comm(), worker.replica(), versions);
  }
}

void serve(Server& server) {
  const double alpha = server.hyperparameter("mixing-alpha");
  const double power = server.hyperparameter("staleness-power");
  while (const auto message = server.comm().receive_any()) {
    const auto staleness = static_cast<double>(server.record_staleness(message->tag()));
    const double share = alpha * std::pow(1.0 + staleness, -power);
    kernels::move_towards(share, message->vector(), server.shard());
    server.count_update();
    server.comm().send(message->from(), server.shard(), server.version());
  }
}

}  // namespace

Scheme fedasync_scheme() {
  return {
      .name = "fedasync",
      .summary =
          "each worker takes --period steps by itself, and the server mixes in where "
          "these led as it comes",
      .step = "γ × own gradient; the model moves α_s of the way to each replica",
      .cost = {.formula = "c, and every τ steps c + 2(α + t), or n(α + t) a round if that is "
                          "longer",
               .rate = "as local-sgd, with staleness",
               .time = ps_async_rounds_time},
      .source = "Xie, Koyejo & Gupta 2019, Algorithm 1; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "mixes replicas into a model of which a part stays each time, so "
                              "that nothing becomes 0"},
      .hyperparameters = {period_info,
                          {.name = "mixing-alpha",
                           .argument = "ALPHA",
                           .help = "share of a fresh replica in the model that it is mixed into",
                           .fallback = 0.6,
                           .low = 0.0,
                           .high = 1.0},
                          {.name = "staleness-power",
                           .argument = "A",
                           .help = "that share falls with the staleness s as (1 + s)^-A",
                           .fallback = 0.5,
                           .low = 0.0,
                           .high = 100.0}},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
