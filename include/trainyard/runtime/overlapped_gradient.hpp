// A gradient whose parts are handed on while the others are still computed, the last layer first.
//
//   OverlappedGradient gradients(worker);
//   while (worker.next_step()) {
//     const Vector gradient = gradients.compute(
//         [&](Vector whole, ParameterRange part) { start_to_send(whole, part); },
//         [&](Message& message) { take(message); });
//     wait_for_the_rest();
//     worker.apply(gradient, 1.0 / worker.comm().workers());
//   }
//
// Threads: belongs to its worker's rank.
#pragma once

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/gradient_parts.hpp"
#include "trainyard/runtime/message.hpp"

namespace trainyard {

class Worker;

class OverlappedGradient {
 public:
  /// `worker` outlives it.
  explicit OverlappedGradient(Worker& worker);

  /// Computes what Worker::compute_gradient() returns, to the bit, in the parts that
  /// gradient_parts() says, which together take as long as the whole. After each, `done` is given
  /// the gradient and which part of it is final: that may be sent and changed while the next one is
  /// computed. Meanwhile `serve` takes the messages that arrive, and may keep them. Throws
  /// UsageError where the worker's replica is not the whole model.
  Vector compute(FunctionRef<void(Vector gradient, ParameterRange part)> done,
                 FunctionRef<void(Message&)> serve);

 private:
  Worker& worker_;
  GradientInParts in_parts_;
};

}  // namespace trainyard
