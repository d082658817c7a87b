#include "trainyard/runtime/combined_gradient.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

Vector CombinedGradient::compute(std::span<const double> coefficients, std::uint64_t number) {
  const WorkerParts parts(worker_);
  parts.needs_whole("CombinedGradient::compute()");
  Minibatches& minibatches = parts.minibatches;
  const std::size_t shares = minibatches.shares();
  require(coefficients.size() == shares, "a combination has a coefficient for each share");
  if (combination_.empty()) {
    combination_ = VectorBuffer(parts.gradient.scalar(), parts.gradient.size());
  }
  batches_.clear();
  for (std::size_t share = 0; share < shares; ++share) {
    batches_.push_back(minibatches.of_share(share, number));
  }
  parts.rank.compute(minibatches.costs().of_next(), [&] {
    kernels::set_to_zero(combination_.view());
    for (std::size_t share = 0; share < shares; ++share) {
      parts.take_gradient(worker_.replica(), batches_[share], 1.0);
      kernels::axpy(coefficients[share] * minibatches.loss_weight_of(share), parts.gradient,
                    combination_.view());
    }
  });
  return combination_.view();
}

}  // namespace trainyard
