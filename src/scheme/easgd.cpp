// Elastic averaging SGD (Zhang, Choromanska & LeCun, NIPS 2015; catalogue §4.1). Every worker has a
// replica of its own, drawn by a spring towards a centre c that the servers hold, and the centre is
// drawn towards the replicas:
//   x_i ← x_i − γ g_i(x_i) − a (x_i − c),  c ← c + b Σ_i (x_i − c).
// The replicas explore, the centre is the model. Both sides use the values from before the step.
// The elasticities are rates over n: b that of --moving-rate, a that of --worker-rate, which is the
// same unless it is given (Zhang et al.); Liu & Zhang 2020 have a ≥ b.
//
// An exchange is two messages of the model, in the order that ElasticOrder says: sent while the
// gradient is computed, or, --exchange blocking, the centre down before it and the difference up.
// Either way the gradient is the one at x_i. With one centre at rest both give the same; when
// others come in between, the blocking order moves the centre by a difference from what it was.
//
// Without gradients a c + b Σ x_i stays what it is. For a = b, on a curvature h with η = γh, the
// synchronous rule is stable for a < (4 − 2η) / (2 + n(2 − η)), the asynchronous for
// a < (4 − 2η) / (4 − η).
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

constexpr std::uint64_t asks = 1;  // for the centre; as a push's tag

ElasticOrder order_of(const Server& server) {
  return static_cast<ElasticOrder>(static_cast<int>(server.hyperparameter("exchange")));
}

void work(Worker& worker) {
  ElasticExchange exchange(worker);
  while (worker.next_step()) {
    const bool is_due = exchange.is_due();
    if (is_due) exchange.begin();
    const auto gradient = worker.compute_gradient();
    if (is_due) exchange.end();
    worker.apply(gradient);
  }
}

void serve_all(Server& server) {
  Communicator& comm = server.comm();
  const int n = comm.workers();
  const double elasticity = server.hyperparameter("moving-rate") / n;
  const bool blocking = order_of(server) == ElasticOrder::blocking;
  while (comm.await_message()) {
    if (blocking) {
      for (int worker = 0; worker < n; ++worker) (void)comm.receive(worker);
      answer_all(comm, server.shard());
    }
    const auto sum = server.zeroed_sum();  // of replicas, or of differences
    sum_pushes(comm, sum);
    if (!blocking) {
      answer_all(comm, server.shard());
      kernels::scale(1.0 - elasticity * n, server.shard());
    }
    kernels::axpy(elasticity, sum, server.shard());
  }
}

}  // namespace

ElasticExchange::ElasticExchange(Worker& worker)
    : worker_(worker),
      elasticity_(worker.hyperparameter("worker-rate") / worker.comm().workers()),
      period_(static_cast<std::uint64_t>(worker.hyperparameter("period"))),
      order_(worker.choice<ElasticOrder>("exchange")),
      center_(worker.replica().scalar(), worker.replica().size()),
      difference_(worker.replica().scalar(), worker.replica().size()),
      asks_(static_cast<std::size_t>(worker.comm().servers()), asks) {}

void ElasticExchange::begin() {
  kernels::copy(worker_.replica(), difference_.view());
  if (order_ == ElasticOrder::blocking) {
    push(worker_.comm(), Vector(), asks_);
    pull(worker_.comm(), center_.view());
    kernels::axpy(-1.0, center_.view(), difference_.view());
  }
  push(worker_.comm(), difference_.view());
}

void ElasticExchange::end() {
  if (order_ == ElasticOrder::overlapped) {
    pull(worker_.comm(), center_.view());
    kernels::axpy(-1.0, center_.view(), difference_.view());
  }
  kernels::axpy(-elasticity_, difference_.view(), worker_.replica());
}

void serve_centre(Server& server) {
  const double elasticity = server.hyperparameter("moving-rate") / server.comm().workers();
  const bool blocking = order_of(server) == ElasticOrder::blocking;
  while (const auto message = server.comm().receive_any()) {
    if (!blocking || message->tag() == asks) server.comm().send(message->from(), server.shard());
    if (message->tag() == asks) continue;
    if (!blocking) kernels::scale(1.0 - elasticity, server.shard());
    kernels::axpy(elasticity, message->vector(), server.shard());
  }
}

std::vector<HyperparameterInfo> elastic_hyperparameters() {
  return {period_info,
          moving_rate_info,
          {.name = "worker-rate",
           .argument = "ALPHA",
           .help = "elasticity, over all workers, with which the centre draws them; else as "
                   "--moving-rate, with which they draw the centre",
           .low = 0.0,
           .high = 100.0,
           .run_fallback =
               [](int, const Hyperparameters& before) {
                 return hyperparameter(before, "moving-rate");
               }},
          {.name = "exchange",
           .argument = "overlapped|blocking",
           .help = "the centre comes while a worker computes, or before",
           .choices = {"overlapped", "blocking"}}};
}

Scheme easgd_scheme() {
  return {
      .name = "easgd",
      .summary = "replicas and a centre on the servers draw each other, all in the same step",
      .step = "γ × own gradient; the centre moves by the moving rate towards the replicas' mean",
      .cost =
          {.formula =
               "c, or in every τ-th step max(c, n(α + t/k)) + n(α + t/k); blocking c + n(α + t/k)",
           .rate = "1/ε + σ²/(nε²) up to the elastic term"},
      .source = "Zhang et al. 2015; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "has a centre that takes no steps by itself: nobody would shrink it"},
      .hyperparameters = elastic_hyperparameters(),
      .worker = work,
      .server = serve_all};
}

Scheme easgd_async_scheme() {
  return {
      .name = "easgd-async",
      .summary = "the same, each worker exchanges with the centre by itself",
      .step = "γ × own gradient; the centre moves by the moving rate over n for each replica",
      .cost = {.formula = "c, or in every τ-th step max(c, 2(α + t)); blocking c + α + t",
               .rate = "as easgd, with staleness"},
      .source = "Zhang et al. 2015; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "has a centre that takes no steps by itself: nobody would shrink it"},
      .hyperparameters = elastic_hyperparameters(),
      .worker = work,
      .server = serve_centre};
}

}  // namespace trainyard
