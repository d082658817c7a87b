// How long a worker takes for its minibatches, and for arithmetic of other lengths: the run's
// compute time, its straggler's slowdown, and noise that is drawn anew for each minibatch.
//
//   MinibatchCosts& costs = worker.minibatches().costs();
//   rank.compute(costs.of_next(), [&] { model.gradient(parameters, batch, gradient, workspace); });
//   const Slowdown noise = costs.next_slowdown();
//   rank.compute(costs.of(0.25, noise), [&] { a_quarter(); });
//   rank.compute(costs.of(0.75, noise), [&] { the_rest(); });
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/runtime/compute_noise.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"

namespace trainyard {

class MinibatchCosts {
 public:
  /// The costs of the worker with that rank, of `workers` in all, which takes the minibatches of
  /// these shares. `context` outlives it.
  MinibatchCosts(const RunContext& context, int rank, int workers, std::span<const int> shares);
  /// The next leg of the run goes on with what has not been drawn.
  ~MinibatchCosts();
  MinibatchCosts(const MinibatchCosts&) = delete;
  MinibatchCosts& operator=(const MinibatchCosts&) = delete;

  /// The cost of the next minibatch, one of each share. Valid until the next call.
  const ComputeCost& of_next(bool reads_shared = false) {
    if (noisy_ || !cost_) draw();
    cost_->reads_shared = reads_shared;
    return *cost_;
  }
  /// The next minibatch has so many times the rows of a usual one.
  void set_portion(double portion) {
    if (portion == portion_) return;
    portion_ = portion;
    cost_.reset();
  }
  /// The cost of arithmetic that takes as long as so many minibatches. REQUIRES: minibatches ≥ 0.
  ComputeCost of(double minibatches, const Slowdown& noise = {}) const;
  /// The noise of the next minibatch, for schemes that compute it in parts: each call is for
  /// another one.
  Slowdown next_slowdown() { return noises_.front().next(); }
  /// The factor of all computing; above 1 for a straggler.
  double slowdown() const { return slowdown_; }

 private:
  RandomStream& stream_of(std::size_t noise, const RandomStream& fresh) const;
  void draw();

  const RunContext& context_;
  const int rank_;
  const double slowdown_;
  const bool noisy_;          // each minibatch has a cost of its own
  const std::size_t shares_;  // minibatches that are taken together
  double portion_ = 1.0;
  std::vector<ComputeNoise> noises_;  // the worker's, or one a share where it stands for all
  std::optional<ComputeCost> cost_;   // of the last minibatch; without noise, of every one
};

}  // namespace trainyard
