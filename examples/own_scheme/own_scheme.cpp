// A scheme of one's own in one file: its program, its row, and the ordinary program that knows it
// beside the published ones.
//
// Every worker steps on its own replica, and then the replicas are averaged up and down a tree:
// x_i ← (1/n) Σ_j (x_j − γ g_j). From replicas that agree that is x − γ (1/n) Σ_j g_j, so losses
// are those of ring; but there are 2(n−1) messages of the whole model a step, not 2n(n−1) of its
// parts.
#include <optional>

#include "trainyard/app/program.hpp"
#include "trainyard/collective/all_reduce.hpp"

namespace {

using trainyard::StepSetting;

const trainyard::AllReduce& tree() {
  return trainyard::find_all_reduce("tree");
}

void work(trainyard::Worker& worker) {
  while (worker.next_step()) {
    worker.descend();
    trainyard::all_reduce_mean(worker.comm(), worker.replica(), tree());
  }
}

trainyard::Scheme own_scheme() {
  return {.name = "own",
          .summary = "a step on each replica, then their average up and down a tree",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + 2⌈log2 n⌉(α + t)",
                   .rate = "1/ε + σ²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<trainyard::Duration> {
                     return s.compute + s.all_reduce(tree());
                   }},
          .source = "an example",
          .family = trainyard::SchemeFamily::synchronous,
          .worker = work};
}

}  // namespace

int main(int argc, char** argv) {
  return trainyard::run_program(argc, argv, {own_scheme});
}
