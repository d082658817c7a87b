// A minibatch on its way through the stage of a layered model that a worker holds: forward, and
// then backward. Of several minibatches on their way at once each has its own.
//
//   StagePass pass(worker);
//   while (worker.next_step()) {
//     comm.send(above, pass.forward(worker.next_minibatch(), comm.receive(below).vector()));
//     comm.send(below, pass.backward(comm.receive(above).vector()));
//     worker.apply(pass.gradient());
//   }
//
// Both take simulated time: their shares of the arithmetic of a gradient of the whole model.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

class Worker;

class StagePass {
 public:
  /// Throws UsageError where the model has no layers. `worker` outlives it.
  explicit StagePass(Worker& worker);

  const Stage& stage() const { return stage_; }

  /// The stage's units [rows × stage().outputs], for the stage above. `below` is what that made of
  /// the same minibatch [rows × inputs]; the first stage does without. Valid until the next call.
  ConstVector forward(Batch batch, ConstVector below = {});
  /// What the stage below wants for the same, and gradient(); empty of the first stage. `above` is
  /// what the stage above returned; the last stage does without. Valid until the next forward().
  /// REQUIRES: forward() was called, and the parameters are what they were.
  ConstVector backward(ConstVector above = {});
  /// Of the stage's parameters, mean over the minibatch, regulariser included; the caller's to
  /// change until the next backward().
  Vector gradient() { return gradient_.view(); }

 private:
  std::span<const float> inputs() const;

  Worker& worker_;
  const LayeredModel& model_;
  const Stage stage_;
  std::vector<RowRange> batch_;
  VectorBuffer below_;  // backward() reads it again, and a message has long gone by then
  VectorBuffer gradient_;
  Workspace workspace_;
};

}  // namespace trainyard
