// Fed-LT, federated local training (Bastianello, Liu & Johansson 2024, Algorithm 1 without noise;
// Tudose, Grüss, Kim, Johansson & Bastianello 2025): Peaceman–Rachford splitting of the consensus
// problem, Σ f_i(w_i) and that all w_i be one y, whose server makes the one step and whose workers
// make the other, as well as a few steps can. Of z_i, one a worker,
//   y ← prox_ρμ((1/n) Σ z_i),
// and who takes part lowers f_i(w) + ‖w − (2y − z_i)‖² / 2ρ, from its last w on, by
//   w ← w − γ (g_i(w) + (w − 2y + z_i)/ρ),
// and then
//   z_i ← z_i + 2 (w − y).
// All z_i and w begin where training does, and there is the first y. z_i and w stay with a worker
// that sits out, and its z_i goes on counting at the server.
//
// It rests where w = y and z_i = y − ρ∇f_i(y), whose mean is y − ρ∇f(y): with full gradients at the
// optimum, whatever τ and whoever takes part. Beside FedPD, whose λ is here (y − z_i)/ρ at rest, a
// worker moves its z_i by twice the way. With --l1 the penalty is the server's part: local steps do
// not shrink, and y = S(mean z, ρμ), S being soft thresholding, so that the model has exact zeros
// though no replica has.
//
// What is sent is w, and y: as y is common, Σ z_i moves by 2 (w − y) of those who took part, and
// the server keeps the mean alone. As in fedavg a worker counts by its rows, which is the splitting
// in the norm that they weigh (--weights workers is the papers' mean). Whole vectors.
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double rho = worker.hyperparameter(proximal_step_info.name);
  const Vector w = worker.replica();
  const Vector z = worker.keep("z_i", w), last = worker.keep("w_i", w);
  const Vector y = worker.keep("common model", w.size());
  fedavg_work(worker, [&](LocalStep step) {
    if (step.first) {
      kernels::copy(w, y);
      kernels::copy(last, w);
    }
    const Vector gradient = worker.compute_gradient();
    kernels::add_difference(1.0 / rho, w, y, gradient);
    kernels::add_difference(1.0 / rho, z, y, gradient);
    kernels::axpy(-worker.step_size(), gradient, w);  // apply() would shrink for --l1
    if (!step.last) return;
    kernels::copy(w, last);
    kernels::add_difference(2.0, w, y, z);
  });
}

void serve(Server& server) {
  const double rho = server.hyperparameter(proximal_step_info.name);
  const Vector y = server.shard();
  const Vector mean = server.keep("mean of z_i", y);
  RoundMean round(server);
  while (round.next()) {
    kernels::add_difference(2.0 * round.share(), round.mean(), y, mean);
    kernels::copy(mean, y);
    // The optimizer's shrinking, by a step of length ρ along nothing.
    const double step_size = server.step_size();
    if (step_size > 0.0) server.apply(server.zeroed_sum(), 0, 1.0, rho / step_size);
    round.answer();
  }
}

}  // namespace

Scheme fed_lt_scheme() {
  return {
      .name = "fed-lt",
      .summary = "workers reflect about the server's model by local steps, as in splitting",
      .step = "γ × (own gradient + the way from 2y - z_i / ρ)",
      .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
               .rate = "not known",
               .time = fedavg_time,
               .learns_from = learns_from_drawn},
      .source = "Bastianello, Liu & Johansson 2024; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_chance},
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain},
      .hyperparameters = {period_info, participation_info, local_steps_info, proximal_step_info},
      .shares = {.published = ShareWeights::rows, .in_program = true},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
