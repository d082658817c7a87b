// Local SGD: every worker steps on its own replica, and every τ steps the replicas are averaged
// (McDonald, Hall & Mann 2010; Stich, ICLR 2019; catalogue §4.1): x_i ← x_i − γ g_i(x_i), and then
// x_i ← (1/n) Σ_j x_j when τ divides the number of steps. τ = 1 is synchronous SGD. A step lasts
// T_c and 1/τ of an all-reduce.
//
// With --collective tree it is SparkNet's reduce and broadcast (Moritz et al., ICLR 2016), worker 0
// being the master; with ps the master is a rank of its own that only averages.
//
// On one machine it is what Hogwild is not: no worker ever fetches what another has just written.
// With τ steps an epoch it is DimmWitted's replica per core.
//
// With momentum, each worker has a velocity of its own, and velocities are averaged whenever
// replicas are (Yu, Jin & Yang, ICML 2019), so that τ = 1 is synchronous SGD with momentum. Keeping
// or resetting them would be other rules. States that are no linear function of the gradients, as
// Adam's and Adagrad's, stay with their worker and are not averaged, which would be the state of no
// run: the inner optimizer of DiLoCo (Douillard et al. 2023, Algorithm 1, with AdamW; the outer
// step here is the average, their OuterOpt being SGD with step size 1). So τ = 1 is not synchronous
// Adam. (Local AdaAlter, Xie et al. 2019, averages Adagrad's sums: another rule.)
//
// With --aggregate every worker sends its way since the last meeting to all others, and all go what
// the rule makes of the ways (catalogue §4.5): x ← x + rule(x_1 − x, …, x_n − x).
#include <cstdint>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

void average_replicas(Worker& worker) {
  all_reduce_mean(worker.comm(), worker.replica(), collective_of(worker));
  const Vector velocity = worker.moments().velocity();
  if (!velocity.empty()) all_reduce_mean(worker.comm(), velocity, collective_of(worker));
}

std::optional<Duration> time_with_averages(const StepSetting& s) {
  return hyperparameter(s.hyperparameters, "period") == 1 ? s.compute + s.all_reduce(s.collective())
                                                          : s.compute;
}

namespace {

/// Meetings in which ways are combined by a rule.
class RobustMeeting {
 public:
  explicit RobustMeeting(Worker& worker) : worker_(worker), robust_(worker) {
    if (!robust_.is_asked_for()) return;
    if (!worker.moments().velocity().empty()) {
      throw OptionError("momentum",
                        "velocities are averaged with the replicas, and no rule is published for "
                        "velocities that may be lies; with --aggregate or --byzantine leave it 0");
    }
    common_ = worker.keep("common", worker.replica());
    way_ = VectorBuffer(common_.scalar(), common_.size());
  }

  bool is_asked_for() const { return robust_.is_asked_for(); }

  void meet() {
    kernels::set_to_zero(way_.view());
    kernels::add_difference(1.0, worker_.replica(), common_, way_.view());
    kernels::add(robust_.mean_of_all(worker_.comm(), way_.view()), common_);
    kernels::copy(common_, worker_.replica());
  }

 private:
  Worker& worker_;
  RobustMean robust_;
  Vector common_;  // x, of the last meeting
  VectorBuffer way_;
};

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  RobustMeeting robust(worker);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    if (robust.is_asked_for()) {
      robust.meet();
    } else {
      average_replicas(worker);
    }
  }
}

std::optional<Duration> time_of_means(const StepSetting& s) {
  return is_robust(s.ingredients) ? std::nullopt : time_with_averages(s);
}

}  // namespace

Scheme local_sgd_scheme() {
  return {
      .name = "local-sgd",
      .summary = "workers step on replicas of their own, which are averaged every --period steps",
      .step =
          "γ × own gradient; the average is a step of γ × mean over workers; velocities are "
          "averaged, what Adam and Adagrad keep stays with each worker",
      .cost = {.formula = "c, and every τ steps the time of the collective",
               .rate = "1/ε + σ²/(nε²) + ((τ-1)^{1/2}σ + (τ-1)ς)/ε^{3/2}",
               .time = time_of_means},
      .source = "Stich 2019; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .takes = {"collective", aggregate_kind, byzantine_kind},
      .hyperparameters = {period_info},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
