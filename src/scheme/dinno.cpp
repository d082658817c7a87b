// DiNNO: consensus ADMM whose minimisations are B steps of an optimizer (Yu, Vincent & Schwager
// 2022, Algorithm 1; catalogue §4.2), for objectives of which no minimum can be written down. In a
// round each worker tells its d_i neighbours its x_i, and then
//   p_i ← p_i + ρ Σ_j (x_i − x_j);
//   from θ = x_i takes B steps of the optimizer on
//     f_i(θ) + θ·p_i + ρ Σ_j ‖θ − (x_i + x_j)/2‖²;   x_i ← θ.
// With B so large that the last line is minimised it is the ADMM of Shi, Ling, Yuan, Wu & Yin
// (2014), whose minimum only quadratics have in closed form. B = 1 with plain SGD is `dlm` without
// the shorter steps, and EXTRA with W = I − 2γρL, L the graph's Laplacian, where all begin alike.
//
// The penalty has a curvature of 2ρd_i, so that SGD's γ is to be below 2/(L + 2ρd_i); Adam, the
// paper's choice, does not mind. At rest the p_i are −∇f_i and add up to 0, as at every moment:
// with plain SGD no worker drifts, and the optimum of the mean is where it ends.
//
// The gradient of both last terms is p_i + ρ Σ_j (x_i − x_j), which stands still in a round, and
// 2ρd_i (θ − x_i), in which no two large numbers cancel.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));  // B
  const double penalty = worker.hyperparameter("consensus-penalty");                // ρ
  const MixingRow links = links_that_count(penalty, worker.next_round());
  const double curvature = 2.0 * penalty * static_cast<double>(links.receives.size());
  const Vector model = worker.replica();
  const Vector start = worker.keep("start of a round", model);
  const Vector dual = worker.keep("dual variable", model.size());  // −p
  const Vector pull =
      worker.keep("pull of the neighbours", model.size());  // −p + ρ Σ_j (x_j − x_i)
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    kernels::axpy(-1.0, pull, gradient);
    kernels::add_difference(curvature, model, start, gradient);
    worker.apply(gradient);
    if ((worker.step() + 1) % period != 0) continue;
    send_to_neighbours(worker.comm(), links, model);
    difference_to_neighbours(worker.comm(), links, model, pull);
    kernels::add(pull, dual);
    kernels::add(dual, pull);
    kernels::copy(model, start);
  }
}

}  // namespace

Scheme dinno_scheme() {
  return {
      .name = "dinno",
      .summary = "ADMM over the graph's links with --period optimizer steps for each minimisation",
      .step =
          "γ × own gradient, and what neighbours make it; no bias on heterogeneous data with "
          "plain SGD",
      .cost = {.formula = "c, and every τ steps Δ(α + t)",
               .rate = "not known where minimisations are inexact",
               .time = [](const StepSetting& s) { return combine_now_and_then_time(s); }},
      .source = "Yu, Vincent & Schwager 2022, Algorithm 1; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::static_symmetric},
      .optimizers = {.no_l1 =
                         "is drawn off what a shrunk step makes 0 by what its neighbours hold"},
      .hyperparameters = {period_info, consensus_penalty_info},
      .worker = work};
}

}  // namespace trainyard
