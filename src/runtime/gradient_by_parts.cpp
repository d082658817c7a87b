// A worker's gradient in parts, between which the scheme may send.
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

Vector Worker::compute_gradient_by_parts(
    FunctionRef<void(Vector gradient, ParameterRange part)> done,
    FunctionRef<void(Message&)> serve) {
  needs_whole("compute_gradient_by_parts()");
  if (!in_parts_) in_parts_.emplace(context_.model);
  batch_ = next_minibatch();
  const Vector gradient = gradient_.view();
  const ComputeCost whole = cost_of_next(false);
  Duration before{0};
  for (const GradientPart& part : in_parts_->parts()) {
    const Duration until = part.final_after(whole.simulated);
    rank_.compute_serving(
        {.simulated = until - before,
         .slowdown = whole.slowdown,
         .pause = part.number == 0 ? whole.pause : Duration{0}},
        [&] {
          in_parts_->compute(part, replica_, batch_, gradient);
          if (weight_ == 1.0) return;
          kernels::scale(weight_, gradient.subspan(part.parameters.first, part.parameters.count));
        },
        [&](Message& message) {
          serve(message);
          return true;
        });
    before = until;
    done(gradient, part.parameters);
  }
  return gradient;
}

}  // namespace trainyard
