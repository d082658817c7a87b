// Minibatches on their way through what a worker holds of a layered model: each goes forward, and
// then backward, in the order in which they came.
//
// What a minibatch leaves here between its forward and its backward pass is what a pipeline is
// short of: the units from below are kept under the names "activations(0)", "activations(1)", …
// (Worker::keep), as many as there were ever minibatches on their way at once, and those of the
// worker's own layers beside them.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/compute_noise.hpp"

namespace trainyard {

class Worker;

/// A minibatch on its way.
struct Passing {
  std::vector<RowRange> batch;
  Vector below;  // backward() reads it again, and a message has long gone by then
  ConstVector weights;
  Workspace workspace;

  /// The units of this minibatch that came from below, at most as many rows as there is room for.
  std::span<const float> inputs(std::size_t of_row) const {
    if (below.empty()) return {};
    return ConstVector(below).floats().first(row_count(batch) * of_row);
  }
};

class PassingMinibatches {
 public:
  /// At most so many are on their way at once. `worker` outlives it.
  PassingMinibatches(Worker& worker, std::size_t most);

  /// One more sets out. `weights` are its own, which stay what they are until its backward pass:
  /// the worker's replica where none are given. REQUIRES: fewer are on their way than may be; no
  /// more from below than in the first call.
  Passing& begin(Batch batch, ConstVector below, ConstVector weights);
  std::size_t count() const { return count_; }
  // REQUIRE: there is one.
  Passing& latest();
  Passing& oldest();
  /// It has gone backward.
  void end_oldest();

  /// A part of a minibatch's arithmetic, as Worker::compute() does it, but slowed down at random:
  /// once for all that the worker computes in a step, as a minibatch is. Takes `part` of the time
  /// that a gradient over these rows takes.
  void compute(Batch rows, double part, FunctionRef<void()> work);

 private:
  Worker& worker_;
  std::vector<Passing> places_;  // a ring
  std::size_t oldest_ = 0, count_ = 0;
  std::size_t longest_ = 0;        // of what comes from below
  std::optional<Slowdown> noise_;  // of this step
  std::uint64_t noise_step_ = 0;
};

}  // namespace trainyard
