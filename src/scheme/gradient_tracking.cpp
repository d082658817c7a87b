// Gradient tracking: every worker keeps an estimate y_i of the gradient of the mean of all
// objectives, and steps along it instead of its own (Xu et al. 2015, Di Lorenzo & Scutari 2016;
// catalogue §4.2). On heterogeneous data gossip stalls where the own gradients balance the pull of
// the neighbours; here the workers agree on the optimum of the mean, with a constant step size.
//
//   adapt-then-combine:  Y ← W(Y + G_new − G_old), Y⁰ = G⁰;   X ← W(X − γY)
//   DIGing:              Y ← WY + G_new − G_old;              X ← WX − γY
//
// Whatever W, as long as its columns sum to one, the mean of the y_i is the mean of the newest
// gradients: what a worker adds it takes back in the next step, so that the G_old must be the very
// one that it added. The graph may be directed and vary over time. Two vectors a step.
//
// DIGing's vectors can go out before the gradient is computed; the other form's only afterwards,
// and in its first step only X.
#include "trainyard/collective/neighbour_average.hpp"

#include "scheme/gossip.hpp"
#include "scheme/refusals.hpp"
#include "scheme/tracker.hpp"

namespace trainyard {

namespace {

void adapt_then_combine(Worker& worker) {
  Tracker tracker(worker);
  VectorBuffer scratch;
  while (worker.next_step()) {
    tracker.count(worker.compute_gradient());
    const MixingRow& round = worker.next_round();  // both vectors over one graph
    if (worker.step() > 0) neighbour_average(worker.comm(), round, tracker.estimate(), scratch);
    worker.apply(tracker.estimate());
    neighbour_average(worker.comm(), round, worker.replica(), scratch);
  }
}

void combine_while_adapting(Worker& worker) {
  Tracker tracker(worker);
  VectorBuffer scratch;
  while (worker.next_step()) {
    const MixingRow& round = worker.next_round();
    send_to_neighbours(worker.comm(), round, tracker.estimate());
    send_to_neighbours(worker.comm(), round, worker.replica());
    const auto gradient = worker.compute_gradient();
    mix_in_neighbours(worker.comm(), round, tracker.estimate(), scratch);
    mix_in_neighbours(worker.comm(), round, worker.replica(), scratch);
    tracker.count(gradient);
    worker.apply(tracker.estimate());
  }
}

}  // namespace

Scheme gradient_tracking_scheme() {
  return {.name = "gradient-tracking",
          .summary = "gossip of models and of estimates of the mean gradient, along which all step",
          .step = "γ × estimate of the mean over workers",
          .cost = {.formula = "c + 2Δ(α + t), the first c + Δ(α + t)",
                   .rate = "1/ε + σ²/(nε²) + ρσ/((1-ρ)^{1/2}ε^{3/2}), without ς",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return adapt_then_combine_time(s);
                   }},
          .source = "Xu et al. 2015; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.has_transient = true},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::tracked_gradient},
          .worker = adapt_then_combine};
}

Scheme diging_scheme() {
  return {.name = "diging",
          .summary = "gradient-tracking, both vectors sent while computing",
          .step = "γ × estimate of the mean over workers",
          .cost = {.formula = "max(c, 2Δ(α + t))",
                   .rate = "as gradient-tracking, worse in 1 - ρ",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return combine_while_adapting_time(s, 2);
                   }},
          .source = "Nedić, Olshevsky & Shi 2017; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::tracked_gradient},
          .worker = combine_while_adapting};
}

}  // namespace trainyard
