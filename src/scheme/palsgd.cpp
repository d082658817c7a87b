// Pseudo-asynchronous local SGD (Naganuma, Zhang, Yue, Mitliagkas, Witte, Hewett & Lee, TMLR 2025,
// Algorithm 1; catalogue §4.1): DiLoCo that meets more rarely still, because between two meetings
// each worker is drawn back to where they last met, without a word. In each step, by itself,
//   with probability p   x_i ← x_i − (γ μ / p) (x_i − x)      the pseudo-synchronisation
//   else                 x_i ← x_i − (γ / (1 − p)) g_i(x_i)
// so that a step is on average one of γ along the gradient of f_i + (μ/2) ‖· − x‖². Every H steps
// the way that they have come is one outer step, as in `diloco`, which it is for p = 0.
//
// γμ/p is the share of the way back that a mixing step goes: above 1 it overshoots, above 2 it
// diverges.
//
// A mixing step takes no gradient: it costs nothing but memory, and its minibatch goes by unread,
// as in the authors' code, where a run's first step never mixes either. With p = 0.1 a worker
// computes a tenth less, and rounds in which it mixes more often are shorter; whoever mixes less
// is waited for.
#include <cstdint>

#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double probability = worker.hyperparameter("pull-probability");
  const double rate = worker.hyperparameter("pull-rate");
  CommonModel common(worker);
  while (worker.next_step()) {
    if (worker.step() > 0 && worker.random().uniform() < probability) {
      (void)worker.minibatches().next();
      const double pull = worker.step_size() * rate / probability;
      kernels::move_towards(pull, common.whole(), worker.replica());
    } else {
      worker.apply(worker.compute_gradient(), 1.0, 1.0 / (1.0 - probability));
    }
    if ((worker.step() + 1) % period == 0) common.meet();
  }
}

}  // namespace

Scheme palsgd_scheme() {
  return {
      .name = "palsgd",
      .summary =
          "diloco whose workers are drawn back to their last common model by chance, without a "
          "word",
      .step = "γ/(1 − p) × own gradient in 1 − p of the steps; every τ steps η × the mean way",
      .cost = {.formula = "c, and every τ steps the time of the collective",
               .rate = "as local-sgd",
               .time = time_with_averages},
      .source = "Naganuma et al. 2025, Algorithm 1; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_chance,
                .members_may_change = true,
                .rows_by_speed = RowsBySpeed::replicas},
      .takes = {"collective"},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters =
          {period_info,
           outer_lr_info,
           outer_momentum_info,
           outer_optimizer_info,
           {.name = "pull-probability",
            .argument = "P",
            .help = "share of the steps that draw a worker back to the last common "
                    "model instead of taking a gradient",
            .fallback = 0.1,
            .low = 0.0,
            .high = 0.99},
           {.name = "pull-rate",
            .argument = "MU",
            .help =
                "strength of that pull: it goes step size × MU / P of the way, at most all of it",
            .fallback = 0.02,
            .low = 0.0,
            .high = 1e6}},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
