// Asynchronous local SGD (Liu, Chhaparia, Douillard, Kale, Rusu, Shen, Szlam & Ranzato 2024;
// catalogue §4.1): DiLoCo whose workers do not wait for each other. Each fetches the model from the
// server, takes H steps on its own replica, and sends the way that it has come,
//   Δ_i = x − x_i of the x that it had fetched,
// which the server takes as a gradient the moment it comes, by Delayed Nesterov
// (scheme/delayed_nesterov.hpp); it answers that worker alone, who goes on from there.
// What the inner optimizer keeps stays with its worker. With n workers that are equally fast a way
// is n − 1 updates old, as in ps-async; whoever is slower sends older ones.
//
// For that the paper has Dynamic Local Updates (--local-updates dynamic): a worker gets so many
// steps for its next round that all rounds last alike, by how long the server waited for its last
// one, messages included:
//   H_i = max(1, ⌊H v_i / max_j v_j⌋),  v_i the steps of worker i in a second.
// Rounds are as long as without it where all are equally fast.
//
// H = 1 with β = 0 is ps-async with the step size ηγ/N, as Δ_i = γ g_i of plain SGD.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/delayed_nesterov.hpp"
#include "scheme/fetched_model.hpp"
#include "scheme/ps_async.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

enum class LocalUpdates { fixed, dynamic };

void work(Worker& worker) {
  FetchedModel fetched(worker);
  auto steps = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  std::vector<std::uint64_t> tags(static_cast<std::size_t>(worker.comm().servers()));
  for (std::uint64_t done = 0; worker.next_step();) {
    worker.descend();
    if (++done < steps) continue;
    std::ranges::fill(tags, std::exchange(done, 0));
    push(worker.comm(), fetched.way(), tags);
    pull(worker.comm(), worker.replica(), tags);
    fetched.remember();
    steps = tags.front();  // servers may have waited for different workers
  }
}

/// How many steps the rounds of each worker have. A server says so with its answers.
class Rounds {
 public:
  explicit Rounds(Server& server)
      : is_dynamic_(static_cast<LocalUpdates>(static_cast<int>(
                        server.hyperparameter("local-updates"))) == LocalUpdates::dynamic),
        period_(server.hyperparameter("period")),
        workers_(static_cast<std::size_t>(server.comm().workers()), {.answered = server.now()}) {}

  /// Of a worker's next round, one of so many steps having come.
  std::uint64_t next_of(int worker, std::uint64_t steps, Time now) {
    OfWorker& it = workers_[static_cast<std::size_t>(worker)];
    it.speed = static_cast<double>(steps) / std::max(to_seconds(now - it.answered), 1e-12);
    it.answered = now;
    if (!is_dynamic_) return static_cast<std::uint64_t>(period_);
    const double fastest = std::ranges::max(workers_, {}, &OfWorker::speed).speed;
    // The nearest of equal workers, whose quotient may be rounded, is H itself.
    const double whole = std::floor(period_ * it.speed / fastest + 1e-6);
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(whole), 1);
  }

 private:
  struct OfWorker {
    Time answered{0};
    double speed = 0.0;  // v, steps in a second
  };
  const bool is_dynamic_;
  const double period_;  // H
  std::vector<OfWorker> workers_;
};

void serve(Server& server) {
  DelayedNesterov outer(server, server.shard(), DelayedNesterov::setting_of(server));
  Rounds rounds(server);
  const std::span<std::uint64_t> read =
      server.keep_counts("read", static_cast<std::size_t>(server.comm().workers()));
  while (const auto way = server.comm().receive_any()) {
    const int from = way->from();
    std::uint64_t& version = read[static_cast<std::size_t>(from)];
    server.record_staleness(version);
    outer.step(way->vector());
    server.count_update(way->tag());
    version = server.version();
    server.comm().send(from, server.shard(), rounds.next_of(from, way->tag(), server.now()));
  }
}

Cast checked_servers(const CastSetting& s) {
  check_delayed_nesterov(s.hyperparameters);
  return cast::servers(s);
}

}  // namespace

Scheme async_local_sgd_scheme() {
  return {
      .name = "async-local-sgd",
      .summary =
          "diloco over a server that takes each worker's way as it comes, by delayed Nesterov",
      .step = "γ × own gradient; each worker's way is a step of η/N, its momentum every N ways",
      .cost = {.formula = "c, and every τ steps, of each worker by itself, 2(α + t)",
               .rate = "as local-sgd, with staleness",
               .time = ps_async_rounds_time},
      .source = "Liu et al. 2024, Algorithms 2 and 3; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = checked_servers,
      .optimizers = {.no_l1 = "has a server's model that moves along ways, with momentum: nobody "
                              "would shrink it"},
      .hyperparameters = {period_info,
                          outer_lr_info,
                          outer_momentum_info,
                          momentum_delay_info,
                          momentum_activation_info,
                          {.name = "local-updates",
                           .argument = "fixed|dynamic",
                           .help = "steps of a round: as --period says, or of slower workers so "
                                   "many fewer that rounds last alike",
                           .choices = {"fixed", "dynamic"}}},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
