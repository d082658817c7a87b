// Local SVRG: local steps whose gradients are rid of what a minibatch and a worker's share differ
// by from all rows (Federated SVRG in its plain form, Konečný, McMahan, Ramage & Richtárik 2016;
// catalogue §4.1). From the model x that all hold at the beginning of a round every worker takes
// the gradient of all its rows, and their mean ∇F(x) is all-reduced. Then it takes τ steps
//   y_i ← y_i − γ (∇f_B(y_i) − ∇f_B(x) + ∇F(x)),  from y_i = x,
// both gradients of the same rows, and the replicas are averaged:  x ← (1/n) Σ_i y_i.
//
// local-sgd ends where the workers' own gradients balance each other, apart by what their data
// differ in, and in a ball of noise; here nobody moves where ∇F is 0, whatever the data, τ and γ.
// `scaffold` gets the first of both from gradients that are a round old, without a pass over all
// rows. With τ = 1 a round is one step of gradient descent over all rows: no minibatch is left in
// it. Where all f_i have one and the same second derivative, and a minibatch is the share, the
// workers agree at every step.
//
// A step costs two gradients of a minibatch, and a round a pass over the share and two all-reduces.
// Passes do not count as minibatches, nor as epochs. The paper's final form has step sizes and
// scales for sparse features on top, which are not here.
#include <cstdint>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/reduced_gradient.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const AllReduce& collective = collective_of(worker);
  ReducedGradient reduced(worker);
  while (worker.next_step()) {
    if (worker.step() % period == 0) {
      reduced.move_point();
      reduced.take_whole();
      all_reduce_mean(worker.comm(), reduced.estimate(), collective);  // ∇F(x)
    }
    const Vector gradient = reduced.change_since_point();
    kernels::add(reduced.estimate(), gradient);
    worker.apply(gradient);
    if ((worker.step() + 1) % period == 0) {
      all_reduce_mean(worker.comm(), worker.replica(), collective);
    }
  }
}

}  // namespace

Scheme local_svrg_scheme() {
  return {
      .name = "local-svrg",
      .summary =
          "local steps that are corrected by a gradient of all rows, taken every --period steps "
          "before them",
      .step =
          "γ × gradient of all rows at the beginning of a round, and what a minibatch says has "
          "changed; no bias on heterogeneous data",
      .cost = {.formula = "2c, and every τ steps a pass over the share and two collectives",
               .rate = "not known"},
      .source = "Konečný et al. 2016; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_data},  // how long a pass is
      .takes = {"collective"},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_clip_norm = refusal::gradient_of_same_rows},
      .hyperparameters = {period_info},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
