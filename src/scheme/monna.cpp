// MoNNA: momentum, and the mean of the nearest (Farhadkhani, Guerraoui, Gupta, Hoang, Pinot &
// Stephan, "Robust collaborative learning with linear gradient overhead", ICML 2023, Algorithm 1;
// catalogue §4.5). A worker steps along the running mean of its gradients, m ← β m + (1 − β) g;
// then it leaves out the b of its neighbours that are farthest from its own model and takes the
// mean of itself and the others, all alike. An honest worker is never far from honest ones for
// long, so a liar that wants to be heard has to be near.
//
// In the paper all hear all, n ≥ 11b, and the graph is complete; over a sparser one it is a
// heuristic. With b = 0 it is gossip over the graph with equal weights. Of equally far neighbours
// the one that sends later in the order of messages is left out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scheme/gossip.hpp"
#include "scheme/heard_neighbours.hpp"
#include "scheme/worker_momentum.hpp"

namespace trainyard {

namespace {

class NearestMean {
 public:
  explicit NearestMean(Worker& worker)
      : change_(VectorBuffer::zeroed(worker.replica().scalar(), worker.replica().size())) {}

  /// x ← the mean of itself and of the nearest of `theirs`, all but b.
  void take(Vector x, ConstVectors theirs, std::size_t b) {
    distances_.clear();
    for (const ConstVector& y : theirs) distances_.push_back(distance(y, x));
    order_.resize(theirs.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, [&](std::uint32_t i, std::uint32_t j) {
      return distances_[i] != distances_[j] ? distances_[i] < distances_[j] : i < j;
    });
    const std::size_t kept = theirs.size() - b;
    const double weight = 1.0 / static_cast<double>(kept + 1);
    kernels::set_to_zero(change_.view());
    for (std::size_t k = 0; k < kept; ++k) {
      kernels::add_difference(weight, theirs[order_[k]], x, change_.view());
    }
    kernels::add(change_.view(), x);
  }

 private:
  std::vector<double> distances_;
  std::vector<std::uint32_t> order_;
  VectorBuffer change_;
};

void work(Worker& worker) {
  const auto b = static_cast<std::size_t>(worker.hyperparameter("tolerated"));
  WorkerMomentum momentum(worker);
  HeardNeighbours heard(worker);
  NearestMean nearest(worker);
  while (worker.next_step()) {
    worker.apply(momentum.of(worker.compute_gradient()));
    const MixingRow& row = worker.next_round();
    if (row.receives.size() < b) {
      throw OptionError("tolerated", fmt::to_string(b),
                        fmt::format("monna leaves out B neighbours of each worker, and worker {} "
                                    "has {}",
                                    worker.comm().rank(), row.receives.size()));
    }
    nearest.take(worker.replica(), heard.exchange(row, worker.replica()), b);
  }
}

}  // namespace

Scheme monna_scheme() {
  return {.name = "monna",
          .summary = "gossip with the mean of the neighbours nearest to a worker's own: for liars",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + Δ(α + t)",
                   .rate = "as gossip where nobody is left out",
                   .time = [](const StepSetting& s) { return adapt_then_combine_time(s); }},
          .source = "Farhadkhani et al. 2023, Algorithm 1; catalogue 4.5",
          .family = SchemeFamily::decentralised,
          .order = {.takes_datagrams = true},
          .takes = {"topology", byzantine_kind},
          .hyperparameters = {tolerated_info, worker_momentum_info},
          .worker = work};
}

}  // namespace trainyard
