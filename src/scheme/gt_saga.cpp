// Gradient tracking with SAGA's estimate (Xin, Khan & Kar 2020; 2022; catalogue §4.2). What each
// worker tracks is no minibatch's gradient, but one of all its rows, of which it remembers what
// each of its M minibatches said last. Their rows never change. In a step a worker draws one of
// them, m, uniformly, and
//   v = M p_m (∇f_m(x_i) − G_m) + Ḡ,  Ḡ = Σ_m p_m G_m,  then G_m ← ∇f_m(x_i),
// with p_m its share of the worker's rows: 1/M, but for the last one, which may be shorter, so that
// v is right on average. Then it takes the steps of gradient-tracking,
//   Y ← W(Y + V − V_old),  X ← W(X − γY),
// from Y = V = Ḡ of the starting point, all G_m of which the first step computes. v's noise fades
// as the G_m come to rest, and a constant γ leads to the optimum. With one minibatch v is the
// gradient, and this is `gradient-tracking`.
//
// `gt-vr` and `gt-sarah` forget the minibatches, and so compute two gradients a step and now and
// then a pass over all rows. Here a step costs one, and a worker's memory is M models more:
// parameters × rows/batch. That may be more than there is, and is refused before the first step.
#include "trainyard/collective/neighbour_average.hpp"

#include "scheme/gossip.hpp"
#include "scheme/gradient_table.hpp"
#include "scheme/refusals.hpp"
#include "scheme/tracker.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  GradientTable gradients(worker, "gt-saga");
  Tracker tracker(worker);
  VectorBuffer scratch;
  while (worker.next_step()) {
    const bool first = worker.step() == 0;
    tracker.count(first ? gradients.fill() : gradients.next());
    const MixingRow& round = worker.next_round();
    if (!first) neighbour_average(worker.comm(), round, tracker.estimate(), scratch);
    worker.apply(tracker.estimate());
    neighbour_average(worker.comm(), round, worker.replica(), scratch);
  }
}

}  // namespace

Scheme gt_saga_scheme() {
  return {.name = "gt-saga",
          .summary = "gradient-tracking, rid of noise by a table of what each minibatch said last",
          .step = "γ × estimate of the mean over workers, of all their rows",
          .cost = {.formula = "c + 2Δ(α + t), in the first step a pass over the share and Δ(α + t)",
                   .rate = "1/ε, whatever the noise of a minibatch, without ς"},
          .source = "Xin, Khan & Kar 2020; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.rhythm = Rhythm::by_data},  // how long the first step is depends on the rows
          .takes = {"topology"},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = refusal::tracked_gradient,
                         .no_clip_norm = refusal::earlier_gradient},
          .worker = work};
}

}  // namespace trainyard
