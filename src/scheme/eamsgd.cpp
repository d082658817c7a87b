// EAMSGD: asynchronous elastic averaging with Nesterov's momentum on the workers' own steps (Zhang,
// Choromanska & LeCun, NIPS 2015, algorithm 2; catalogue §4.1). Between two exchanges with the
// centre
//   v_i ← δ v_i − γ g_i(x_i + δ v_i),  x_i ← x_i + v_i,
// and every τ steps, with x the replica from before the step,
//   x_i ← x_i − a (x − c),  c ← c + b (x − c),
// the elasticities and the two orders of easgd.
// The centre sees replicas, never velocities. δ = 0 is easgd-async. A gradient moves a replica by
// γ / (1 − δ) in all, so γ is to be that much smaller than without momentum.
//
// --optimizer nesterov would be another rule: it keeps the point x + δ v for its model, where the
// spring would then pull.
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/easgd.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double keep = worker.hyperparameter("delta");
  const Vector replica = worker.replica();
  const Vector velocity = worker.keep("velocity", replica.size());
  ElasticExchange exchange(worker);
  while (worker.next_step()) {
    const bool is_due = exchange.is_due();
    if (is_due) exchange.begin();
    kernels::axpy(keep, velocity, replica);
    const auto gradient = worker.compute_gradient();
    kernels::scale(keep, velocity);
    kernels::axpy(-worker.step_size(), gradient, velocity);
    worker.apply(gradient);  // x + δ v − γ g
    if (is_due) exchange.end();
  }
}

std::vector<HyperparameterInfo> hyperparameters() {
  std::vector<HyperparameterInfo> all = elastic_hyperparameters();
  all.push_back({.name = "delta",
                 .argument = "DELTA",
                 .help = "momentum of a replica, below 1",
                 .fallback = 0.99,
                 .low = 0.0,
                 .high = 0.999999});
  return all;
}

}  // namespace

Scheme eamsgd_scheme() {
  return {
      .name = "eamsgd",
      .summary = "easgd-async with Nesterov's momentum on the replicas",
      .step = "γ/(1-δ) × own gradient; the centre as in easgd-async",
      .cost = {.formula = "as easgd-async", .rate = "as easgd-async"},
      .source = "Zhang et al. 2015; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "has a centre that takes no steps by itself: nobody would shrink it"},
      .hyperparameters = hyperparameters(),
      .worker = work,
      .server = serve_centre};
}

}  // namespace trainyard
