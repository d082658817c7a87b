// Scaffnew: ProxSkip with all workers as neighbours (Mishchenko, Malinovsky, Stich & Richtárik
// 2022, Algorithm 2; catalogue §4.1): local SGD whose averages come by chance, and whose workers
// step along their gradient less what it is at the optimum, as far as they know:
//   z_i = x_i − γ (∇f_i(x_i) − h_i);
//   with probability p  x_i ← (1/n) Σ_j z_j;  else  x_i ← z_i;
//   h_i ← h_i + (p/γ)(x_i − z_i), which changes nothing without an average.  h_i⁰ = 0.
// All h_i add up to 0, and at rest h_i = ∇f_i(x): no worker drifts, where local-sgd's do. For a
// condition number κ, p = 1/√κ averages are as few as accelerated methods need, without a step
// more. All workers draw the same coin, from a stream that they share. p = 1 is synchronous SGD.
//
// What is averaged is the way that workers have come since the last average, not their models: what
// they find of their own way that the mean has not is then as exact as the way is short, and the
// h_i, which it goes into, keep adding up to 0 in single precision.
#include "trainyard/base/random.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double probability = worker.hyperparameter("mixing-probability");
  RandomStream& coin = worker.common_random();
  const Vector model = worker.replica();
  const Vector control = worker.keep("control variate", model.size());  // h
  const Vector start = worker.keep("last average", model);
  VectorBuffer own(model.scalar(), model.size()), mean(model.scalar(), model.size());
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    kernels::axpy(-1.0, control, gradient);
    worker.apply(gradient);
    if (coin.uniform() >= probability) continue;

    kernels::copy(model, own.view());
    kernels::axpy(-1.0, start, own.view());
    kernels::copy(own.view(), mean.view());
    all_reduce_mean(worker.comm(), mean.view(), collective_of(worker));
    kernels::add(mean.view(), start);
    kernels::copy(start, model);
    // In a run none is 0; a library caller's warm-up without the length of a step begins with one.
    if (worker.step_size() == 0.0) continue;
    kernels::add_difference(probability / worker.step_size(), mean.view(), own.view(), control);
  }
}

}  // namespace

Scheme scaffnew_scheme() {
  return {
      .name = "scaffnew",
      .summary = "local-sgd with averages by chance, and steps less what each worker's is at rest",
      .step = "γ × own gradient less the control variate; no bias on heterogeneous data",
      .cost = {.formula = "c, and with probability p the time of the collective",
               .rate = "σ²/(nε²) for small ε, without ς"},
      .source = "Mishchenko et al. 2022, Algorithm 2; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_chance},
      .takes = {"collective"},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "steps along less than its gradient, and averages what shrunk steps "
                              "make"},
      .hyperparameters = {mixing_probability_info},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
