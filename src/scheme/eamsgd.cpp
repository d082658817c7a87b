// EAMSGD: asynchronous elastic averaging with Nesterov's momentum on the workers' own steps (Zhang,
// Choromanska & LeCun, NIPS 2015, algorithm 2; catalogue §4.1). Between two exchanges with the
// centre
//   v_i ← δ v_i − γ g_i(x_i + δ v_i),  x_i ← x_i + v_i,
// and every τ steps, with x the replica from before the step and a = β/n,
//   x_i ← x_i − a (x − c),  c ← c + a (x − c).
// The centre sees replicas, never velocities. δ = 0 is easgd-async. A gradient moves a replica by
// γ / (1 − δ) in all, so γ is to be that much smaller than without momentum.
//
// --optimizer nesterov would be another rule: it keeps the point x + δ v for its model, where the
// spring would then pull.
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/easgd.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double elasticity = worker.hyperparameter("moving-rate") / worker.comm().workers();
  const double keep = worker.hyperparameter("delta");
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector replica = worker.replica();
  VectorBuffer center(replica.scalar(), replica.size());
  VectorBuffer velocity = VectorBuffer::zeroed(replica.scalar(), replica.size());
  while (worker.next_step()) {
    const bool exchanges = (worker.step() + 1) % period == 0;
    if (exchanges) push(worker.comm(), replica);
    kernels::axpy(keep, velocity.view(), replica);
    const auto gradient = worker.compute_gradient();
    kernels::scale(keep, velocity.view());
    kernels::axpy(-worker.step_size(), gradient, velocity.view());
    worker.apply(gradient);  // x + δ v − γ g
    if (!exchanges) continue;
    pull(worker.comm(), center.view());
    // The x of before is the replica less its velocity.
    kernels::scale(1.0 - elasticity, replica);
    kernels::axpy(elasticity, velocity.view(), replica);
    kernels::axpy(elasticity, center.view(), replica);
  }
}

}  // namespace

Scheme eamsgd_scheme() {
  return {.name = "eamsgd",
          .summary = "easgd-async with Nesterov's momentum on the replicas",
          .step = "γ/(1-δ) × own gradient; the centre as in easgd-async",
          .time = "as easgd-async",
          .rate = "as easgd-async",
          .source = "Zhang et al. 2015; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .pace = Pace::free,
          .home = ModelHome::servers,
          .optimizers = OptimizerRange::plain,
          .hyperparameters = {period_info,
                              moving_rate_info,
                              {.name = "delta",
                               .argument = "DELTA",
                               .help = "momentum of a replica, below 1",
                               .fallback = 0.99,
                               .low = 0.0,
                               .high = 0.999999}},
          .worker = work,
          .server = serve_centre};
}

}  // namespace trainyard
