// K-GT: gradient tracking with K local steps in a round (Liu, Lin, Koloskova & Stich 2023,
// Algorithm 1; catalogue §4.2). Each worker holds what the mean gradient is beyond its own, c_i,
// and a round is
//   K times  x_i' ← x_i' − γ (∇f_i(x_i') + c_i)  from x_i,
//   z_i = (x_i − x_i')/(Kγ),
//   c_i ← c_i − z_i + Σ_j W_ij z_j,  x_i ← Σ_j W_ij (x_j − Kγη z_j).
// z_i is the mean of the directions of the round, so that c_i becomes what the neighbours' differ
// from the own gradients. All c_i add up to 0, and at rest ∇f_i + c_i = 0 at every local step: no
// worker drifts. c_i⁰ = 0 (the paper's, −∇f_i + (1/n) Σ_j ∇f_j at x⁰, would take an all-reduce).
//
// η, --communication-step, is how much of its own way a worker goes before it averages. With K = 1
// and η = 1 it is tracking in NEXT's form, X ← W(X − γY), Y ← WY + G_new − G_old, Y⁰ = G⁰
// (gradient-tracking mixes the new gradients too). Two vectors a round.
//
// Here z_i is the mean of the gradients themselves, plus c_i: the same, but for a γ that changes
// within a round, and without the rounding errors that a difference of models divided by Kγ has.
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double share = worker.hyperparameter("communication-step");  // η
  const Vector model = worker.replica();
  const Vector correction = worker.keep("correction", model.size());           // c
  const Vector gradients = worker.keep("gradients of a round", model.size());  // their mean
  const Vector start = worker.keep("start of a round", model);                 // x
  VectorBuffer change(model.scalar(), model.size()), scratch;
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    kernels::axpy(1.0 / static_cast<double>(period), gradient, gradients);
    kernels::add(correction, gradient);
    worker.apply(gradient);
    if ((worker.step() + 1) % period != 0) continue;

    kernels::add(correction, gradients);  // z
    kernels::move_towards(1.0 - share, start, model);
    const MixingRow& round = worker.next_round();
    send_to_neighbours(worker.comm(), round, gradients);
    send_to_neighbours(worker.comm(), round, model);
    difference_to_neighbours(worker.comm(), round, gradients, change.view());
    mix_in_neighbours(worker.comm(), round, model, scratch);
    kernels::add(change.view(), correction);
    kernels::set_to_zero(gradients);
    kernels::copy(model, start);
  }
}

}  // namespace

Scheme k_gt_scheme() {
  return {.name = "k-gt",
          .summary = "gradient tracking with --period local steps between two rounds",
          .step =
              "γ × own gradient, and what that of all is beyond it; averaged over the graph every "
              "τ steps",
          .cost = {.formula = "c, and every τ steps 2Δ(α + t)",
                   .rate = "σ²/(nε²) for small ε, without ς",
                   .time = [](const StepSetting& s) { return combine_now_and_then_time(s, 2); }},
          .source = "Liu, Lin, Koloskova & Stich 2023, Algorithm 1; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::tracked_gradient},
          .hyperparameters = {period_info,
                              {.name = "communication-step",
                               .argument = "ETA",
                               .help = "how much of its own way of a round a worker goes before it "
                                       "averages",
                               .fallback = 1.0,
                               .low = 1e-6,
                               .high = 10.0}},
          .worker = work};
}

}  // namespace trainyard
