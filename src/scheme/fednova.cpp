// FedNova, normalised averaging (Wang, Liu, Liang, Joshi & Poor, NeurIPS 2020, eq. 3 and 4): fedavg
// for workers that take unequally many steps in a round (--local-steps). There worker i's way is
// about τ_i gradients long, so that fedavg minimises not Σ p_i f_i but Σ p_i τ_i f_i, and whose
// machine is fast has more say. Here each way is divided by its length before the mean is taken,
// and the mean way is as long as the ways were on average:
//   d_i = (x − x_i) / a_i,  x ← x − τ_eff Σ p_i d_i,  τ_eff = Σ p_i a_i,
// over those who take part, p_i = n_i / Σ n_j; a_i, the sum of the weights that i's gradients have
// in its way, is τ_i for plain SGD. Equal τ_i are fedavg.
//
// As computed: the mean of replicas that count n_i / τ_i, towards which x goes
// Σ n_i τ_i Σ (n_i / τ_i) / (Σ n_i)² ≥ 1 times as far as there.
//
// The drift of replicas stays: f_i = h_i (x − a_i)²/2 with full gradients rest at Σ w_i a_i / Σ
// w_i, w_i = n_i (1 − (1 − γ h_i)^τ_i) / τ_i, which is n_i h_i γ up to terms of γ².
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  fedavg_work(worker, [&](LocalStep) { worker.descend(); });
}

double rows_over_steps(const RoundTag& tag) {
  return static_cast<double>(tag.weight) / static_cast<double>(tag.steps);
}

/// τ_eff Σ p_i / a_i
double stretch_of(std::span<const RoundTag> tags) {
  double rows = 0.0, times_steps = 0.0, over_steps = 0.0;
  for (const RoundTag& tag : tags) {
    rows += static_cast<double>(tag.weight);
    times_steps += static_cast<double>(tag.weight) * static_cast<double>(tag.steps);
    over_steps += rows_over_steps(tag);
  }
  return times_steps / rows * over_steps / rows;
}

void serve(Server& server) {
  RoundMean round(server);
  while (round.next(rows_over_steps)) {
    kernels::move_towards(stretch_of(round.tags()), round.mean(), server.shard());
    round.answer();
  }
}

}  // namespace

Scheme fednova_scheme() {
  return {.name = "fednova",
          .summary = "fedavg whose server takes as much from each way, however many steps it had",
          .step =
              "γ × own gradient; the average is a step of τ_eff γ × mean over those who take "
              "part",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
                   .rate = "as fedavg, τ the mean of the τ_i",
                   .time = fedavg_time,
                   .learns_from = learns_from_drawn},
          .source = "Wang, Liu et al. 2020; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "goes further than the mean of replicas, which moves weights off "
                                  "0"},
          .hyperparameters = {period_info, participation_info, local_steps_info},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
