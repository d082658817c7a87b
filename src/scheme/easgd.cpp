// Elastic averaging SGD (Zhang, Choromanska & LeCun, NIPS 2015; catalogue §4.1). Every worker has a
// replica of its own, drawn by a spring towards a centre c that the servers hold, and the centre is
// drawn towards the replicas: with elasticity a = β/n, β the moving rate,
//   x_i ← x_i − γ g_i(x_i) − a (x_i − c),  c ← c + a Σ_i (x_i − c).
// The replicas explore, the centre is the model. Both sides use the values from before the step. An
// exchange is two messages of the model, sent while the gradient is computed.
//
// Without gradients c + Σ x_i stays what it is. On a curvature h with η = γh the synchronous rule
// is stable for a < (4 − 2η) / (2 + n(2 − η)), the asynchronous for a < (4 − 2η) / (4 − η).
//
// easgd exchanges with everyone in every τ-th step; in easgd-async each worker counts for itself,
// and the centre takes one replica at a time.
#include "scheme/easgd.hpp"

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double elasticity = worker.hyperparameter("moving-rate") / worker.comm().workers();
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  VectorBuffer center(worker.replica().scalar(), worker.replica().size());
  while (worker.next_step()) {
    const bool exchanges = (worker.step() + 1) % period == 0;
    if (exchanges) push(worker.comm(), worker.replica());
    const auto gradient = worker.compute_gradient();
    if (exchanges) {
      pull(worker.comm(), center.view());
      kernels::scale(1.0 - elasticity, worker.replica());
      kernels::axpy(elasticity, center.view(), worker.replica());
    }
    worker.apply(gradient);
  }
}

void serve_all(Server& server) {
  const int n = server.comm().workers();
  const double elasticity = server.hyperparameter("moving-rate") / n;
  while (server.comm().await_message()) {
    const auto replicas = server.zeroed_sum();
    sum_pushes(server.comm(), replicas);
    answer_all(server.comm(), server.shard());
    kernels::scale(1.0 - elasticity * n, server.shard());
    kernels::axpy(elasticity, replicas, server.shard());
  }
}

}  // namespace

void serve_centre(Server& server) {
  const double elasticity = server.hyperparameter("moving-rate") / server.comm().workers();
  while (const auto replica = server.comm().receive_any()) {
    server.comm().send(replica->from(), server.shard());
    kernels::scale(1.0 - elasticity, server.shard());
    kernels::axpy(elasticity, replica->vector(), server.shard());
  }
}

Scheme easgd_scheme() {
  return {
      .name = "easgd",
      .summary = "replicas and a centre on the servers draw each other, all in the same step",
      .step = "γ × own gradient; the centre moves by the moving rate towards the replicas' mean",
      .time = "c, or in every τ-th step max(c, n(α + t/k)) + n(α + t/k)",
      .rate = "1/ε + σ²/(nε²) up to the elastic term",
      .source = "Zhang et al. 2015; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .home = ModelHome::servers,
      .optimizers = OptimizerRange::plain,
      .hyperparameters = {period_info, moving_rate_info},
      .worker = work,
      .server = serve_all};
}

Scheme easgd_async_scheme() {
  return {.name = "easgd-async",
          .summary = "the same, each worker exchanges with the centre by itself",
          .step = "γ × own gradient; the centre moves by the moving rate over n for each replica",
          .time = "c, or in every τ-th step max(c, 2(α + t))",
          .rate = "as easgd, with staleness",
          .source = "Zhang et al. 2015; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .pace = Pace::free,
          .home = ModelHome::servers,
          .optimizers = OptimizerRange::plain,
          .hyperparameters = {period_info, moving_rate_info},
          .worker = work,
          .server = serve_centre};
}

}  // namespace trainyard
