// BRIDGE-T: decentralised SGD with a trimmed mean over the neighbours (Fang, Yang & Bajwa, "BRIDGE:
// Byzantine-resilient decentralized gradient descent", IEEE Transactions on Signal and Information
// Processing over Networks 2022, Algorithm 1; catalogue §4.5). Of each coordinate a worker leaves
// out the b largest and the b smallest values of its neighbours, and takes the mean of the others
// and its own, all alike:
//   x_i ← (x_i + Σ_{kept j} x_j) / (|N_i| − 2b + 1) − γ g_i(x_i),
// with the gradient at the model that was sent, so that messages travel while it is computed, as in
// d-psgd. With b = 0 it is d-psgd over the graph with equal weights.
//
// It needs more than 2b neighbours at each worker, and for convergence that the graph stays
// connected whatever is left out; then honest replicas agree on something in the range of what
// honest ones said, coordinate by coordinate.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scheme/gossip.hpp"
#include "scheme/heard_neighbours.hpp"

namespace trainyard {

namespace {

/// x ← the mean of itself and of what `theirs` have between the b largest and the b smallest.
void take_trimmed_mean(Vector x, ConstVectors theirs, std::size_t b, std::vector<double>& values) {
  with_scalar(x.scalar(), [&]<typename T>(T) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      values.clear();
      for (const ConstVector& y : theirs) values.push_back(y.as<T>()[k]);
      std::ranges::sort(values);
      const double own = x.as<T>()[k];
      double off = 0.0;  // of the kept ones from the own: equal ones leave it as it is, to the bit
      for (std::size_t j = b; j + b < values.size(); ++j) off += values[j] - own;
      const auto kept = static_cast<double>(values.size() - 2 * b + 1);
      x.as<T>()[k] = static_cast<T>(own + off / kept);
    }
  });
}

void work(Worker& worker) {
  const auto b = static_cast<std::size_t>(worker.hyperparameter("tolerated"));
  HeardNeighbours heard(worker);
  std::vector<double> values;
  while (worker.next_step()) {
    const MixingRow& row = worker.next_round();
    if (b > 0 && row.receives.size() <= 2 * b) {
      throw OptionError("tolerated", fmt::to_string(b),
                        fmt::format("bridge needs more than 2B neighbours at each worker, and "
                                    "worker {} has {}",
                                    worker.comm().rank(), row.receives.size()));
    }
    send_to_neighbours(worker.comm(), row, worker.replica());
    const auto gradient = worker.compute_gradient();
    take_trimmed_mean(worker.replica(), heard.hear(row, worker.replica()), b, values);
    worker.apply(gradient);
  }
}

}  // namespace

Scheme bridge_scheme() {
  return {.name = "bridge",
          .summary = "d-psgd with a trimmed mean over the neighbours: for liars",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "max(c, Δ(α + t))",
                   .rate = "as d-psgd where nothing is trimmed",
                   .time = [](const StepSetting& s) { return combine_while_adapting_time(s); }},
          .source = "Fang, Yang & Bajwa 2022, Algorithm 1; catalogue 4.5",
          .family = SchemeFamily::decentralised,
          .order = {.takes_datagrams = true},
          .takes = {"topology", byzantine_kind},
          .hyperparameters = {tolerated_info},
          .worker = work};
}

}  // namespace trainyard
