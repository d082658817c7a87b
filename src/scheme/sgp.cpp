// Stochastic gradient push: push-sum gossip, which needs only that a worker knows to whom it gives
// how much (Nedić & Olshevsky 2016; Assran, Loizou, Ballas & Rabbat, ICML 2019, Algorithm 1;
// catalogue §4.2). Each worker holds a vector u and a weight w = 1; its model is z = u/w.
//   u_i ← u_i − γ g_i(z_i);  (u_i, w_i) ← Σ_j W_ij (u_j, w_j).
// The columns of W add up to one, its rows need not: in a directed graph of equal shares, W_ij =
// 1/(out-degree of j + 1), some workers receive more than others, and w measures by how much. Σw =
// n always, what is on its way included; without gradients Σu stays what it is. Where the rows add
// up to one as well, w stays 1 and it is gossip.
//
// sgp-overlap takes in what was sent one step before (their 1-OSGP): messages have a whole
// computation to arrive, and push-sum does not mind, because what is late carries its weight with
// it.
//
// A message is the vector and its weight: one float more than the model.
#include <algorithm>

#include "trainyard/collective/push_sum.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  PushSum sum(worker.keep("u and w", worker.replica().size() + 1), worker.replica());
  while (worker.next_step()) {
    worker.apply_to(sum.u(), worker.compute_gradient());
    const MixingRow& round = worker.next_round();
    sum.send(worker.comm(), round);
    sum.receive(worker.comm(), round);
    sum.estimate(worker.replica());
  }
}

void work_overlapped(Worker& worker) {
  PushSum sum(worker.keep("u and w", worker.replica().size() + 1), worker.replica());
  const MixingRow* before = nullptr;  // of the step whose messages are on their way
  while (worker.next_step()) {
    worker.apply_to(sum.u(), worker.compute_gradient());
    const MixingRow& round = worker.next_round();
    sum.send(worker.comm(), round);
    if (before != nullptr) sum.receive(worker.comm(), *before);
    before = &round;
    sum.estimate(worker.replica());
  }
}

}  // namespace

Scheme sgp_scheme() {
  return {
      .name = "sgp",
      .summary = "push-sum gossip: directed graphs of any degrees, with a weight in each message",
      .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
      .cost = {.formula = "c + Δ(α + t), t of one float more than the model",
               .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 return adapt_then_combine_time(s, 1);
               }},
      .source = "Assran et al. 2019; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.range = GraphRange::column_stochastic, .has_transient = true},
      .optimizers = {.no_l1 =
                         "steps sums that are a model only when they are divided by their weights"},
      .worker = work};
}

Scheme sgp_overlap_scheme() {
  return {
      .name = "sgp-overlap",
      .summary = "sgp, taking in what the neighbours sent one step before",
      .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
      .cost = {.formula = "max(c, Δ(α + t)), the first c",
               .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Assran et al. 2019, 1-OSGP; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .order = {.no_checkpoint = "has a part of what it sums up on its way between any two steps"},
      .takes = {"topology"},
      .graphs = {.range = GraphRange::column_stochastic, .has_transient = true},
      .optimizers = {.no_l1 =
                         "steps sums that are a model only when they are divided by their weights"},
      .worker = work_overlapped};
}

}  // namespace trainyard
