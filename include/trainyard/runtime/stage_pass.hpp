// Minibatches on their way through the stage of a layered model that a worker holds: each forward,
// and then backward, in the order in which they came.
//
//   StagePass pass(worker);
//   while (worker.next_step()) {
//     comm.send(above, pass.forward(worker.next_minibatch(), comm.receive(below).vector()));
//     comm.send(below, pass.backward(comm.receive(above).vector()));
//     worker.apply(pass.gradient());
//   }
//
// Both take simulated time: their shares of the arithmetic of a gradient of the whole model. A
// model without layers is one stage, all of whose arithmetic is done backward.
//
// What a minibatch leaves here between its forward and its backward pass is what a pipeline is
// short of: the units from below are kept under the names "activations(0)", "activations(1)", …
// (Worker::keep), as many as there were ever minibatches on their way at once, and those of the
// stage's own layers beside them.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/compute_noise.hpp"

namespace trainyard {

class Worker;

class StagePass {
 public:
  /// At most so many minibatches are on their way at once. Throws UsageError where the model has no
  /// layers and the worker holds a part of it. `worker` outlives it.
  explicit StagePass(Worker& worker, std::size_t most_in_flight = 1);

  const Stage& stage() const { return stage_; }
  /// Minibatches that have gone forward and not backward.
  std::size_t in_flight() const { return in_flight_; }

  /// The stage's units [rows × stage().outputs], for the stage above. `below` is what that made of
  /// the same minibatch [rows × inputs]; the first stage does without. Valid until the next call.
  /// `weights` are the stage's parameters, which stay what they are until its backward pass: the
  /// worker's replica where none are given. REQUIRES: fewer are on their way than may be; no more
  /// rows than in the first call.
  ConstVector forward(Batch batch, ConstVector below = {}, ConstVector weights = {});
  /// Of the minibatch that is the longest on its way: what the stage below wants for the same, and
  /// gradient(); empty of the first stage. `above` is what the stage above returned; the last stage
  /// does without. Valid until the next forward(). REQUIRES: forward() was called.
  ConstVector backward(ConstVector above = {});
  /// Of the stage's parameters, mean over the minibatch, regulariser included; the caller's to
  /// change until the next backward().
  Vector gradient() { return gradient_.view(); }

 private:
  /// A minibatch on its way.
  struct Passing {
    std::vector<RowRange> batch;
    Vector below;  // backward() reads it again, and a message has long gone by then
    ConstVector weights;
    Workspace workspace;
  };
  void compute(double minibatches, FunctionRef<void()> work);
  std::span<const float> inputs(const Passing& passing) const;

  Worker& worker_;
  const LayeredModel* model_;  // nullptr: without layers
  const Stage stage_;
  std::vector<Passing> passing_;  // a ring
  std::size_t oldest_ = 0, in_flight_ = 0;
  std::size_t longest_ = 0;  // of what comes from below
  VectorBuffer gradient_;
  std::optional<Slowdown> noise_;  // of this step
  std::uint64_t noise_step_ = 0;
};

}  // namespace trainyard
