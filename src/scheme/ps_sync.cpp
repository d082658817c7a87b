// Synchronous parameter server: x ← x − γ · (1/n) Σ_i g_i(x) (Li et al., OSDI 2014; catalogue
// §2.1). A step sends the gradient up and the model down for each worker; with k servers, each
// message is 1/k of it. From lock-step, the step lasts T_c + 2·max(n, k)(α + t/k). Of a linear
// model on sparse rows a worker sends and fetches what its minibatches touch (working_set.hpp).
//
// With --aggregate the server takes a robust rule's result in place of the mean, as it does in the
// literature on liars (Blanchard et al., NIPS 2017; catalogue §4.5), and workers may send their
// --worker-momentum.
#include "trainyard/collective/short_parts.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/worker_momentum.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  WorkerMomentum momentum(worker);
  WorkingSet keys(worker);
  while (worker.next_step()) {
    keys.push(momentum.of(worker.compute_gradient()));
    keys.pull();
  }
}

void serve(Server& server) {
  const int workers = server.comm().workers();
  WorkingSets keys(server, ModelRead::common);
  RobustMean robust(server);
  while (server.comm().await_message()) {
    if (robust.is_asked_for()) {
      for (int worker = 0; worker < workers; ++worker) {
        const Message push = server.comm().receive(worker);
        robust.hear(worker, keys.heard_gradient(push));
      }
      server.apply(robust.mean(), static_cast<std::uint64_t>(workers));
    } else {
      const auto gradient = server.zeroed_sum();
      keys.sum_pushes(gradient);
      server.apply(gradient, static_cast<std::uint64_t>(workers), 1.0 / workers);
    }
    keys.answer_all();
  }
}

/// With more servers than workers it is less: the first shards are answered while the last are
/// still being pushed. Where shards of a few numbers are not all of one length it depends on who
/// meets whom.
std::optional<Duration> step_time(const StepSetting& s) {
  if (is_robust(s.ingredients)) return std::nullopt;
  if (s.servers > s.workers || takes_turns(s.parameters, s.workers, s.servers)) {
    return std::nullopt;
  }
  if (s.touched < 1.0) return s.compute + s.workers * (s.keyed_push() + s.keyed_pull());
  return s.compute + s.all_reduce(find_all_reduce("ps-sharded"));
}

/// One server hears n − 1 others and answers them; n of them are ps-colocated, message by message.
/// With 1 < k < n a worker that is no server pushes k shards, and one that is one less: it takes up
/// to two messages more than 2(n−1)(α + t/k), and how many depends on who meets whom.
std::optional<Duration> step_time_colocated(const StepSetting& s) {
  if (is_robust(s.ingredients)) return std::nullopt;
  if (s.servers == s.workers && s.touched == 1.0) {
    return s.compute + s.all_reduce(find_all_reduce("ps-colocated"));
  }
  if (s.servers > 1) return std::nullopt;
  return s.compute + (s.workers - 1) * (s.keyed_push() + s.keyed_pull());
}

}  // namespace

Scheme ps_sync_scheme() {
  return {.name = "ps-sync",
          .summary = "workers push gradients to the parameter server, wait, pull the new model",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + 2n(α + t/k)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = step_time,
                   .time_colocated = step_time_colocated},
          .source = "Li et al. 2014; catalogue 2.1",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .cast = cast::replicas_with_servers,
          .takes = {aggregate_kind, byzantine_kind},
          .messages = {.by_keys = ByKeys::yes},
          .hyperparameters = {worker_momentum_info},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
