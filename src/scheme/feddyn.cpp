// FedDyn, dynamic regularisation (Acar, Zhao, Navarro, Mattina, Whatmough & Saligrama, ICLR 2021,
// Algorithm 1): fedavg whose workers minimise in a round that began at x
//   f_i(y) − ⟨g_i, y⟩ + (α/2) ‖y − x‖²,
// g_i standing for ∇f_i where the worker's last round ended, so that at a common y all of them
// would stay. Here, as in the paper's experiments, by steps
//   y ← y − γ (g_i(y) − g_i + α (y − x)),
// and then
//   g_i ← g_i − α (y − x),
//   h ← h − (α/n) Σ_{i takes part} (y_i − x),  x ← mean of the y_i that take part − h / α.
// All begin at 0. h is the mean of all g_i all along, and g_i stays with a worker that sits out.
// It rests where h = 0 and no y leaves x, each g_i being ∇f_i(x): with full gradients the optimum,
// as in scaffold, of which it is the cousin that sends one vector each way, fedavg's bytes, but
// whole ones. (f_i and its control variate have the same letter in the paper; g_i with an argument
// is a gradient here.)
//
// As in fedavg a worker counts by its rows: h ← h − α Σ n_i (y_i − x) / Σ_{all} n_i.
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* alpha_name = "dynamic-alpha";

void work(Worker& worker) {
  const double alpha = worker.hyperparameter(alpha_name);
  const Vector y = worker.replica();
  const Vector x = worker.keep("common model", y.size());
  const Vector own = worker.keep("g_i", y.size());
  fedavg_work(worker, [&](LocalStep step) {
    if (step.first) kernels::copy(y, x);
    const Vector gradient = worker.compute_gradient();
    kernels::axpy(-1.0, own, gradient);
    kernels::add_difference(alpha, y, x, gradient);
    worker.apply(gradient);
    if (step.last) kernels::add_difference(-alpha, y, x, own);
  });
}

void serve(Server& server) {
  const double alpha = server.hyperparameter(alpha_name);
  const Vector x = server.shard();
  const Vector h = server.keep("h", x.size());
  RoundMean round(server);
  while (round.next()) {
    kernels::add_difference(-alpha * round.share(), round.mean(), x, h);
    kernels::copy(round.mean(), x);
    kernels::axpy(-1.0 / alpha, h, x);
    round.answer();
  }
}

}  // namespace

Scheme feddyn_scheme() {
  return {.name = "feddyn",
          .summary = "fedavg whose workers and server correct for what the workers' optima differ",
          .step =
              "γ × (own gradient, corrected, + α × the way from the common model); the average, "
              "corrected",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
                   .rate = "1/ε rounds where the workers' problems are solved exactly, without ς",
                   .time = fedavg_time,
                   .learns_from = learns_from_drawn},
          .source = "Acar et al. 2021, Algorithm 1; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_by_ways},
          .hyperparameters = {period_info,
                              participation_info,
                              local_steps_info,
                              {.name = alpha_name,
                               .argument = "ALPHA",
                               .help = "pull to the model that a round began from, and how much of "
                                       "the way from it corrects later rounds",
                               .fallback = 0.1,
                               .low = 1e-6,
                               .high = 1e6}},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
