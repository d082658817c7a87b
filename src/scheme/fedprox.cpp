// FedProx (Li, Sahu, Zaheer, Sanjabi, Talwalkar & Smith, MLSys 2020, Algorithm 2): fedavg whose
// workers are held near the model x that a round began from, by minimising f_i(y) + (μ/2)‖y − x‖²
// where fedavg's minimise f_i:
//   y ← y − γ (g_i(y) + μ (y − x)),
// so that data which differ pull replicas apart less, however many steps they take. μ = 0 is fedavg
// to the bit. (The paper leaves open how well a client minimises: here by --period steps. It draws
// clients by their rows and then counts them alike; here all are drawn alike and count by their
// rows, as in fedavg.)
//
// It does not make the drift disappear: with K full-gradient steps on f_i = h_i (x − a_i)²/2 it
// rests at Σ w_i a_i / Σ w_i, w_i = (1 − (1 − γ (h_i + μ))^K) h_i / (h_i + μ), which for μ → ∞ and
// γ (h_i + μ) small comes to weights h_i, those of the optimum, at steps of length 1/μ.
//
// Where no row of a round has a feature, y − x is 0 there, so that replicas go by keys as fedavg's
// do; but for the regulariser, of which the server would have to know how μ holds it.
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* mu_name = "proximal-mu";

void work(Worker& worker) {
  const double mu = worker.hyperparameter(mu_name);
  if (mu == 0.0) return fedavg_work(worker, [&](LocalStep) { worker.descend(); });
  const Vector y = worker.replica();
  const Vector x = worker.keep("common model", y.size());
  fedavg_work(worker, [&](LocalStep step) {
    if (step.first) kernels::copy(y, x);
    const Vector gradient = worker.compute_gradient();
    kernels::add_difference(mu, y, x, gradient);
    worker.apply(gradient);
  });
}

}  // namespace

Scheme fedprox_scheme() {
  return {.name = "fedprox",
          .summary = "fedavg whose workers are drawn back to the model that a round began from",
          .step = "γ × (own gradient + μ × the way from the common model), averaged as in fedavg",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
                   .rate = "τ/ε where the own gradients are no more than B times as long as the "
                           "mean one, and μ is large enough for B",
                   .time = fedavg_time,
                   .learns_from = learns_from_drawn},
          .source = "Li, Sahu et al. 2020, Algorithm 2; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .takes = {aggregate_kind, byzantine_kind},
          .messages = {.by_keys = ByKeys::without_regulariser},
          .optimizers = {.range = OptimizerRange::plain},
          .hyperparameters = {period_info,
                              participation_info,
                              local_steps_info,
                              {.name = mu_name,
                               .argument = "MU",
                               .help = "pull to the model that a round began from",
                               .fallback = 0.1,
                               .low = 0.0,
                               .high = 1e6}},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve_fedavg};
}

}  // namespace trainyard
