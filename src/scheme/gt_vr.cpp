// Gradient tracking with variance reduction: what each worker tracks is no minibatch's gradient,
// but one of all rows of its share, corrected by what a minibatch says has changed since (Xin, Khan
// & Kar 2022; Jiang, Zeng, Sun & Chen 2023; catalogue §4.2). Where gradient-tracking ends in a ball
// that the noise of its minibatches keeps it in, these converge with a constant step size.
//
//   gt-vr (Jiang et al. 2023, Algorithm 1, with L-SVRG's estimate): a snapshot τ_i of its model,
//     taken anew with probability P before a step, and ∇f_i(τ_i) over the share;
//       v = ∇f_B(x) − ∇f_B(τ) + ∇f(τ),
//     then the steps of gradient-tracking, Y ← W(Y + V − V_old), X ← W(X − γY).
//   gt-sarah (Xin, Khan & Kar 2022, Algorithm 1, with SARAH's): a whole gradient every q steps (the
//     paper counts the q − 1 others); in between
//       v ← ∇f_B(x) − ∇f_B(x_old) + v,
//     then the steps of diging, Y ← WY + V − V_old, X ← WX − γY.
// Workers draw their own coins for snapshots, as in the paper, so that all wait for each one's
// pass. Both gradients of a step are of the same rows. Where a minibatch is the whole share, v is
// the share's gradient, and these are gradient-tracking and diging.
//
// A step costs two gradients of a minibatch, and now and then a pass over the share, of M
// minibatches: with P or 1/q at 1/M three minibatches a step in all. Passes do not count as
// minibatches, nor as epochs. A worker keeps one model more. (`gt-saga` keeps a gradient for each
// minibatch in place of passes.)
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"
#include "scheme/reduced_gradient.hpp"
#include "scheme/refusals.hpp"
#include "scheme/tracker.hpp"

namespace trainyard {

namespace {

void work_gt_vr(Worker& worker) {
  const double probability = worker.hyperparameter("snapshot-probability");
  ReducedGradient reduced(worker);
  Tracker tracker(worker);
  VectorBuffer scratch;
  while (worker.next_step()) {
    if (worker.step() == 0 || worker.random().uniform() < probability) {
      reduced.move_point();
      reduced.take_whole();
    }
    const Vector v = reduced.change_since_point();
    kernels::add(reduced.estimate(), v);
    tracker.count(v);
    const MixingRow& round = worker.next_round();
    if (worker.step() > 0) neighbour_average(worker.comm(), round, tracker.estimate(), scratch);
    worker.apply(tracker.estimate());
    neighbour_average(worker.comm(), round, worker.replica(), scratch);
  }
}

void work_gt_sarah(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("snapshot-period"));
  ReducedGradient reduced(worker);
  Tracker tracker(worker);
  VectorBuffer scratch;
  while (worker.next_step()) {
    const MixingRow& round = worker.next_round();
    send_to_neighbours(worker.comm(), round, tracker.estimate());
    send_to_neighbours(worker.comm(), round, worker.replica());
    if (worker.step() % period == 0) {
      reduced.move_point();
      reduced.take_whole();
    } else {
      kernels::add(reduced.change_since_point(), reduced.estimate());
    }
    reduced.move_point();
    mix_in_neighbours(worker.comm(), round, tracker.estimate(), scratch);
    mix_in_neighbours(worker.comm(), round, worker.replica(), scratch);
    tracker.count(reduced.estimate());
    worker.apply(tracker.estimate());
  }
}

}  // namespace

Scheme gt_vr_scheme() {
  return {
      .name = "gt-vr",
      .summary = "gradient-tracking of gradients that a snapshot of the model rids of their noise",
      .step = "γ × estimate of the mean over workers, of all their rows",
      .cost = {.formula = "2c + 2Δ(α + t), and with probability P a pass over the share",
               .rate = "1/ε, whatever the noise of a minibatch, without ς"},
      .source = "Jiang et al. 2023, Algorithm 1; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .order = {.rhythm = Rhythm::by_data},
      .takes = {"topology"},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = refusal::tracked_gradient,
                     .no_clip_norm = refusal::gradient_of_same_rows},
      .hyperparameters = {{.name = "snapshot-probability",
                           .argument = "P",
                           .help = "that a worker takes a gradient of all its rows before a step; "
                                   "one over the minibatches of a pass is usual",
                           .fallback = 0.02,
                           .low = 0.0,
                           .high = 1.0}},
      .worker = work_gt_vr};
}

Scheme gt_sarah_scheme() {
  return {
      .name = "gt-sarah",
      .summary = "diging of gradients that are brought up to date by what minibatches change",
      .step = "γ × estimate of the mean over workers, of all their rows",
      .cost = {.formula = "max(2c, 2Δ(α + t)), every q-th step a pass over the share instead of 2c",
               .rate = "1/ε, whatever the noise of a minibatch, without ς"},
      .source = "Xin, Khan & Kar 2022, Algorithm 1; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .order = {.rhythm = Rhythm::by_data},
      .takes = {"topology"},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = refusal::tracked_gradient,
                     .no_clip_norm = refusal::gradient_of_same_rows},
      .hyperparameters = {{.name = "snapshot-period",
                           .argument = "Q",
                           .help = "steps from one gradient of all of a worker's rows to the next; "
                                   "the minibatches of a pass are usual",
                           .fallback = 50,
                           .low = 1,
                           .high = 1e12,
                           .whole = true,
                           .cycle = true}},
      .worker = work_gt_sarah};
}

}  // namespace trainyard
