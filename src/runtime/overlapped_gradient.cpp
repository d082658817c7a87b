#include "trainyard/runtime/overlapped_gradient.hpp"

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

OverlappedGradient::OverlappedGradient(Worker& worker)
    : worker_(worker), in_parts_(worker.model()) {}

Vector OverlappedGradient::compute(FunctionRef<void(Vector gradient, ParameterRange part)> done,
                                   FunctionRef<void(Message&)> serve) {
  const WorkerParts parts(worker_);
  parts.needs_whole("OverlappedGradient::compute()");
  parts.batch = parts.minibatches.next();
  const double weight = parts.minibatches.loss_weight();
  const ComputeCost whole = parts.minibatches.costs().of_next();
  Duration before{0};
  for (const GradientPart& part : in_parts_.parts()) {
    const Duration until = part.final_after(whole.simulated);
    parts.rank.compute_serving(
        {.simulated = until - before,
         .slowdown = whole.slowdown,
         .pause = part.number == 0 ? whole.pause : Duration{0}},
        [&] {
          in_parts_.compute(part, worker_.replica(), parts.batch, parts.gradient);
          if (weight == 1.0) return;
          const auto [first, count] = part.parameters;
          kernels::scale(weight, parts.gradient.subspan(first, count));
        },
        [&](Message& message) {
          serve(message);
          return true;
        });
    before = until;
    done(parts.gradient, part.parameters);
  }
  return parts.gradient;
}

}  // namespace trainyard
