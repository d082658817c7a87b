// GoSGD: with probability p after a step a worker sends its model, with half of its weight in the
// average, to a random other, and goes on (Blot, Picard, Cord & Thome 2016; catalogue §4.2). Nobody
// waits for anybody. At the end every worker takes in all that was sent to it.
#include "trainyard/collective/sum_weight_gossip.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const double probability = worker.hyperparameter("send-probability");
  const int n = worker.comm().workers();
  SumWeightGossip gossip(worker.comm(), worker.replica());
  while (worker.next_step()) {
    gossip.receive_arrived();
    worker.apply(worker.compute_gradient());
    if (n > 1 && worker.random().uniform() < probability) {
      const auto distance = 1 + worker.random().below(static_cast<std::uint64_t>(n - 1));
      gossip.send((worker.comm().rank() + static_cast<int>(distance)) % n);
    }
  }
  gossip.finish();
}

}  // namespace

Scheme gosgd_scheme() {
  return {.name = "gosgd",
          .summary = "now and then a worker sends its model and half its share to a random other",
          .step = "γ × own gradient, averaged as models meet: to first order the mean over workers",
          .cost = {.formula = "c", .rate = "unknown"},
          .source = "Blot et al. 2016; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.pace = Pace::free, .rhythm = Rhythm::by_chance},
          .hyperparameters = {{.name = "send-probability",
                               .argument = "P",
                               .help = "that a step is followed by a message",
                               .fallback = 0.02,
                               .low = 0.0,
                               .high = 1.0}},
          .worker = work};
}

}  // namespace trainyard
