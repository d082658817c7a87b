// DLM, decentralised ADMM whose minimisations are one gradient step each (Ling, Shi, Wu & Ribeiro
// 2015; catalogue §4.2). ADMM over the links of a graph would have each worker minimise
//   f_i(x) + φ_i·x + c Σ_j ‖x − (x_i + x_j)/2‖²
// over its d_i neighbours j, and then add to φ_i, the price of not agreeing with them. With f_i
// replaced by its tangent at x_i and (1/2γ) ‖x − x_i‖² that is
//   x_i ← x_i − (∇f_i(x_i) + c Σ_j (x_i − x_j) + φ_i)/(1/γ + 2 c d_i),
//   φ_i ← φ_i + c Σ_j (x_i − x_j), of the new x;  φ_i⁰ = 0.
// How large γ may be depends on the f_i alone, as in gradient descent: 2 c d_i outweighs the pull
// of the neighbours on every graph, whatever the penalty c. But steps are as much shorter where
// there are many neighbours, so that the mean does not step along the mean gradient unless all have
// equally many.
//
// Where all have d, and with L the graph's Laplacian and μ = 1/(1/γ + 2 c d), it is EXTRA with
// steps of μ and W = I − 2μcL, but for EXTRA's first step, which has W where this has (I + W)/2.
//
// The models go out while the gradient is computed: what is received serves both sums. The program
// keeps −φ. What one end of a link gets the other loses, so the φ_i add up to 0.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double penalty = worker.hyperparameter("consensus-penalty");  // c
  const MixingRow links = links_that_count(penalty, worker.next_round());
  const double both = 2.0 * penalty * static_cast<double>(links.receives.size());  // 2 c d
  const Vector model = worker.replica();
  const Vector pull = worker.keep("dual variable", model.size());  // −φ
  VectorBuffer apart(model.scalar(), model.size());                // c Σ_j (x_j − x_i)
  while (worker.next_step()) {
    send_to_neighbours(worker.comm(), links, model);
    const auto gradient = worker.compute_gradient();
    difference_to_neighbours(worker.comm(), links, model, apart.view());
    if (worker.step() > 0) kernels::add(apart.view(), pull);
    kernels::axpy(-1.0, apart.view(), gradient);
    kernels::axpy(-1.0, pull, gradient);
    worker.apply(gradient, 1.0 / (1.0 + both * worker.step_size()));
  }
}

}  // namespace

Scheme dlm_scheme() {
  return {.name = "dlm",
          .summary = "ADMM over the graph's links with a gradient step for each minimisation",
          .step =
              "γ/(1 + 2γc × neighbours) × own gradient and what neighbours make it; no bias on "
              "heterogeneous data",
          .cost = {.formula = "max(c, Δ(α + t))",
                   .rate = "1/ε without noise, without ς",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return combine_while_adapting_time(s);
                   }},
          .source = "Ling et al. 2015; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_step},
          .hyperparameters = {consensus_penalty_info},
          .worker = work};
}

}  // namespace trainyard
