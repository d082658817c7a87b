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
// A message is the vector and its weight: one float more than the model. On a network that loses
// messages for good a share that is lost is gone, and weights with it; with --push-sum running-sums
// it comes with the next message (running_sums.hpp).
#include <optional>

#include "trainyard/collective/push_sum.hpp"

#include "scheme/gossip.hpp"
#include "scheme/running_sums.hpp"

namespace trainyard {

namespace {

enum class Gives { shares, running_sums };  // in the order of the words

HyperparameterInfo push_sum_info() {
  return {.name = "push-sum",
          .argument = "shares|running-sums",
          .help =
              "what a message has: this round's share, or the sum of all on that link, which makes "
              "up for those that were lost for good",
          .choices = {"shares", "running-sums"}};
}

/// u and w of a worker, and how it gives of them.
class Mass {
 public:
  explicit Mass(Worker& worker)
      : worker_(worker),
        pair_(worker.keep("u and w", worker.replica().size() + 1)),
        sum_(pair_, worker.replica()) {
    if (worker.choice<Gives>("push-sum") == Gives::running_sums) sums_.emplace(worker, pair_);
  }

  /// u ← u − γ g(z)
  void step() { worker_.apply_to(sum_.u(), worker_.compute_gradient()); }
  void send(const MixingRow& round) {
    if (sums_) {
      sums_->send(worker_.comm(), round);
    } else {
      sum_.send(worker_.comm(), round);
    }
  }
  void receive(const MixingRow& round) {
    if (sums_) {
      sums_->receive(worker_.comm(), round);
    } else {
      sum_.receive(worker_.comm(), round);
    }
  }
  /// z = u/w, or as it was where all of w is on its way.
  void estimate() {
    if (sum_.weight() > 0.0) sum_.estimate(worker_.replica());
  }

 private:
  Worker& worker_;
  Vector pair_;
  PushSum sum_;
  std::optional<RunningSums> sums_;
};

void work(Worker& worker) {
  Mass mass(worker);
  while (worker.next_step()) {
    mass.step();
    const MixingRow& round = worker.next_round();
    mass.send(round);
    mass.receive(round);
    mass.estimate();
  }
}

void work_overlapped(Worker& worker) {
  Mass mass(worker);
  const MixingRow* before = nullptr;  // of the step whose messages are on their way
  while (worker.next_step()) {
    mass.step();
    const MixingRow& round = worker.next_round();
    mass.send(round);
    if (before != nullptr) mass.receive(*before);
    before = &round;
    mass.estimate();
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
      .order = {.takes_datagrams = true},
      .takes = {"topology"},
      .graphs = {.range = GraphRange::column_stochastic, .has_transient = true},
      .optimizers = {.no_l1 =
                         "steps sums that are a model only when they are divided by their weights"},
      .hyperparameters = {push_sum_info()},
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
      .order = {.no_checkpoint = "has a part of what it sums up on its way between any two steps",
                .takes_datagrams = true},
      .takes = {"topology"},
      .graphs = {.range = GraphRange::column_stochastic, .has_transient = true},
      .optimizers = {.no_l1 =
                         "steps sums that are a model only when they are divided by their weights"},
      .hyperparameters = {push_sum_info()},
      .worker = work_overlapped};
}

}  // namespace trainyard
