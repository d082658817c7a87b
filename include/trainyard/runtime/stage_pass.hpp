// Minibatches on their way through the stage of a layered model that a worker holds: each forward,
// and then backward, in the order in which they came.
//
//   StagePass pass(worker);
//   while (worker.next_step()) {
//     const Message units = comm.receive(below);
//     comm.send(above, pass.forward(worker.minibatches().next(), units.vector()));
//     comm.send(below, pass.backward(comm.receive(above).vector()));
//     worker.apply(pass.gradient());
//   }
//
// Both take simulated time: their shares of the arithmetic of a gradient of the whole model. A
// model without layers is one stage, all of whose arithmetic is done backward. What each minibatch
// leaves here meanwhile is told in passing.hpp.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/passing.hpp"

namespace trainyard {

class Worker;

class StagePass {
 public:
  /// At most so many minibatches are on their way at once. Throws UsageError where the model has no
  /// layers and the worker holds a part of it. `worker` outlives it.
  explicit StagePass(Worker& worker, std::size_t most_in_flight = 1);

  const Stage& stage() const { return stage_; }
  /// Minibatches that have gone forward and not backward.
  std::size_t in_flight() const { return passing_.count(); }

  /// The stage's units [rows × stage().outputs], for the stage above. `below` is what that made of
  /// the same minibatch [rows × inputs]; the first stage does without. Valid until the next call.
  /// `weights` are the stage's parameters, which stay what they are until its backward pass: the
  /// worker's replica where none are given. REQUIRES: fewer are on their way than may be; no more
  /// rows than in the first call.
  ConstVector forward(Batch batch, ConstVector below = {}, ConstVector weights = {});
  /// Takes the minibatch that is the longest on its way backward. Returns the slopes that the stage
  /// below wants for it, empty in the first stage, and sets gradient(). `above` is what the stage
  /// above returned; the last stage does without. Valid until the next forward(). REQUIRES:
  /// forward() was called.
  ConstVector backward(ConstVector above = {});
  /// The gradient of the stage's parameters, mean over the minibatch, regulariser included; the
  /// caller's to change until the next backward().
  Vector gradient() { return gradient_.view(); }

 private:
  Worker& worker_;
  const LayeredModel* model_;  // nullptr: without layers
  const Stage stage_;
  PassingMinibatches passing_;
  VectorBuffer gradient_;
};

}  // namespace trainyard
