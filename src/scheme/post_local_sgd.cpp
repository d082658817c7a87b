// Post-local SGD: synchronous until a switch, local SGD from then on (Lin, Stich, Patel & Jaggi,
// ICLR 2020; catalogue §4.1): the replicas are averaged after every step while fewer than E epochs
// are done, and every τ steps after that. Early on, when gradients are large, replicas would drift
// far apart in τ steps; later they hardly do, and τ steps of noise of their own lead to flatter
// minima than large batches find. The paper switches where the step size first falls: E of
// --lr-schedule step:E:FACTOR.
//
// E = 0 is local SGD; E beyond the run's end, or τ = 1, is synchronous SGD. Momentum and the states
// of other optimizers as in local SGD: with Adam or Adagrad the first E epochs average models of
// workers that have a state each, and are not synchronous Adam.
#include <cstdint>

#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double switch_epoch = worker.hyperparameter("switch-epoch");
  std::uint64_t& synchronous_steps = worker.keep_counts("synchronous steps", 1).front();
  while (worker.next_step()) {
    const bool synchronous = worker.epochs() < switch_epoch;
    worker.descend();
    const std::uint64_t done = worker.step() + 1;
    if (synchronous) synchronous_steps = done;
    if (synchronous || (done - synchronous_steps) % period == 0) average_replicas(worker);
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  const bool synchronous = hyperparameter(s.hyperparameters, "switch-epoch") > 0 ||
                           hyperparameter(s.hyperparameters, "period") == 1;
  return synchronous ? s.compute + s.all_reduce(s.collective()) : s.compute;
}

}  // namespace

Scheme post_local_sgd_scheme() {
  return {.name = "post-local-sgd",
          .summary = "averages after every step until --switch-epoch, then every --period steps",
          .step =
              "γ × own gradient; the average is a step of γ × mean over workers; velocities are "
              "averaged, what Adam and Adagrad keep stays with each worker",
          .cost = {.formula = "c and that of the collective; after the switch as local-sgd",
                   .rate = "as local-sgd",
                   .time = step_time},
          .source = "Lin et al. 2020; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
          .takes = {"collective"},
          .hyperparameters = {period_info,
                              {.name = "switch-epoch",
                               .argument = "E",
                               .help = "epochs after which averages become rare",
                               .fallback = 5,
                               .low = 0,
                               .high = 1e12,
                               .in_the_long_run = 0}},
          .worker = work,
          .server = serve_collective};
}

}  // namespace trainyard
