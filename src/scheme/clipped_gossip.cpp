// Clipped gossip: gossip that survives liars among the neighbours (He, Karimireddy & Jaggi,
// "Byzantine-robust decentralized learning via ClippedGossip", 2022, Algorithm 1 and equation
// (GossipClip); catalogue §4.5). A worker steps on its own replica, and then moves towards what
// each neighbour says, but by no more than τ times its weight:
//   x_i ← x_i + Σ_j W_ij clip(x_j − x_i, τ_i),   clip(z, τ) = z min(1, τ/‖z‖).
// A liar moves nobody by more than W_ij τ_i, whatever it says, and honest neighbours who are nearer
// than τ_i pull as in gossip: τ = ∞ is gossip, τ = 0 leaves workers alone. Clipping is about the
// own model, which is no liar's, where a server clips about the last mean.
//
// The best τ_i depends on how far honest neighbours are away, which nobody knows. Without a
// --clip-radius it is the second largest of the distances to the neighbours in each round, as in
// the authors' program: right for one liar among them, and of one neighbour it is the distance.
//
// A link may be worth less to i than to j where their radii differ, so that the mean over workers
// is kept only where nothing is clipped.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "scheme/gossip.hpp"
#include "scheme/heard_neighbours.hpp"
#include "scheme/worker_momentum.hpp"

namespace trainyard {

namespace {

class ClippedMove {
 public:
  explicit ClippedMove(Worker& worker)
      : radius_(worker.hyperparameter("clip-radius")),
        change_(VectorBuffer::zeroed(worker.replica().scalar(), worker.replica().size())) {}

  /// x ← x + Σ_j W_ij clip(x_j − x, τ)
  void move(Vector x, const MixingRow& row, ConstVectors theirs) {
    distances_.clear();
    for (const ConstVector& y : theirs) distances_.push_back(distance(y, x));
    const double radius = radius_ > 0.0 ? radius_ : second_largest();
    kernels::set_to_zero(change_.view());
    for (std::size_t j = 0; j < theirs.size(); ++j) {
      const double kept = distances_[j] > radius ? radius / distances_[j] : 1.0;
      kernels::add_difference(kept * row.receives[j].weight, theirs[j], x, change_.view());
    }
    kernels::add(change_.view(), x);
  }

 private:
  /// Of the distances; of one alone, that.
  double second_largest() {
    if (distances_.empty()) return 0.0;
    sorted_ = distances_;
    std::ranges::sort(sorted_, std::greater());
    return sorted_[std::min<std::size_t>(1, sorted_.size() - 1)];
  }

  const double radius_;
  std::vector<double> distances_, sorted_;
  VectorBuffer change_;
};

void work(Worker& worker) {
  WorkerMomentum momentum(worker);
  HeardNeighbours heard(worker);
  ClippedMove clipped(worker);
  while (worker.next_step()) {
    worker.apply(momentum.of(worker.compute_gradient()));
    const MixingRow& row = worker.next_round();
    clipped.move(worker.replica(), row, heard.exchange(row, worker.replica()));
  }
}

}  // namespace

Scheme clipped_gossip_scheme() {
  return {.name = "clipped-gossip",
          .summary = "gossip in which nobody moves a worker by more than a radius: for liars",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + Δ(α + t)",
                   .rate = "as gossip where nothing is clipped",
                   .time = [](const StepSetting& s) { return adapt_then_combine_time(s); }},
          .source = "He, Karimireddy & Jaggi 2022, Algorithm 1; catalogue 4.5",
          .family = SchemeFamily::decentralised,
          .order = {.takes_datagrams = true},
          .takes = {"topology", byzantine_kind},
          .hyperparameters = {{.name = "clip-radius",
                               .argument = "TAU",
                               .help = "how far a neighbour of weight 1 may move a worker; 0: the "
                                       "second largest distance to a neighbour, in each round",
                               .fallback = 0.0,
                               .low = 0.0,
                               .high = 1e12},
                              worker_momentum_info},
          .worker = work};
}

}  // namespace trainyard
