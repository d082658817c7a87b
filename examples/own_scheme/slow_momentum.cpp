// SlowMo (Wang, Tantia, Ballas & Rabbat, ICLR 2020, algorithm 1) as a scheme of one's own: local
// SGD whose average is a step of slow momentum. Every τ steps, with x̄ the mean of the replicas and
// z the last point that all agreed on,
//
//   u ← β u + (z − x̄) / γ,   z ← z − α γ u,   x_i ← z.
//
// With α = 1 and β = 0 it is local-sgd. The library's own text of it is the scheme slowmo.
#include <cstdint>
#include <optional>

#include "trainyard/app/program.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"

namespace {

namespace kernels = trainyard::kernels;

void work(trainyard::Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double alpha = worker.hyperparameter("slow-rate");
  const double beta = worker.hyperparameter("slow-momentum");
  const auto x = worker.replica();
  const auto z = worker.keep("z", worker.initial_model());
  const auto u = worker.keep("u", x.size());
  while (worker.next_step()) {
    const double gamma = worker.step_size();
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    trainyard::all_reduce_mean(worker.comm(), x, trainyard::collective_of(worker));
    kernels::scale(beta, u);
    kernels::add_difference(1.0 / gamma, z, x, u);
    kernels::axpy(-alpha * gamma, u, z);
    kernels::copy(z, x);
  }
}

std::optional<trainyard::Duration> first_step(const trainyard::StepSetting& s) {
  const bool averages = trainyard::hyperparameter(s.hyperparameters, "period") == 1.0;
  return averages ? s.compute + s.all_reduce(s.collective()) : s.compute;
}

trainyard::Scheme slowmo_scheme() {
  return {.name = "own-slowmo",
          .summary = "local-sgd whose average, every --period steps, is a step of slow momentum",
          .step = "γ × own gradient; an average is a step of slow momentum, of length αγ",
          .cost = {.formula = "c, and every τ steps the collective's", .time = first_step},
          .source = "Wang, Tantia, Ballas & Rabbat 2020",
          .family = trainyard::SchemeFamily::local_updates,
          .takes = {"collective"},
          .optimizers = {.range = trainyard::OptimizerRange::plain,
                         .no_l1 = "has its slow momentum from how far averages have come"},
          .hyperparameters = {trainyard::known_hyperparameter("period"),
                              {.name = "slow-rate",
                               .argument = "ALPHA",
                               .help = "length of a step of slow momentum, in step sizes",
                               .fallback = 1.0,
                               .low = 0.0,
                               .high = 100.0},
                              trainyard::known_hyperparameter("slow-momentum")},
          .worker = work,
          .server = trainyard::serve_collective};
}

}  // namespace

int main(int argc, char** argv) {
  return trainyard::run_program(argc, argv, {slowmo_scheme});
}
