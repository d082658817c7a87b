// Minibatch SGD on one worker: x ← x − γ ∇F over the minibatches that the n workers of the other
// schemes would take in the same step. Same samples, same total batch, same number of steps, no
// communication: what every synchronous scheme computes, up to the order of summation.
//
// One exception: with one worker and minibatch 1, sparse linear models are regularised in
// expectation, as by Hogwild (Model::SparseUpdate), and not exactly, as where whole gradients are
// sent.
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) worker.descend();
}

}  // namespace

Scheme sequential_scheme() {
  return {.name = "sequential",
          .summary = "one worker takes the minibatches of all: the yardstick, no messages",
          .step = "γ × mean over the n minibatches",
          .cost = {.formula = "n c",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return s.workers * s.compute;
                   }},
          .source = "minibatch SGD; catalogue 1.4",
          .family = SchemeFamily::synchronous,
          .cast = cast::one_worker,
          .worker = work};
}

}  // namespace trainyard
