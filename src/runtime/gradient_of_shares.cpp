// A worker's gradients where it has several shares, each by the number of its minibatch.
#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

/// The next minibatch of that share is number `number`.
void Worker::skip_to(std::size_t share, std::uint64_t number) {
  std::uint64_t& next = next_numbers_[share];
  require(number >= next, "minibatches come in order");
  if (number > next) streams_[share].skip(number - next);
  next = number + 1;
}

Vector Worker::compute_combination(std::span<const double> coefficients, std::uint64_t number) {
  needs_whole("compute_combination()");
  require(coefficients.size() == streams_.size(), "a combination has a coefficient for each share");
  for (std::size_t share = 0; share < streams_.size(); ++share) skip_to(share, number);
  if (combination_.empty()) {
    combination_ = VectorBuffer(gradient_.view().scalar(), gradient_.view().size());
  }
  combined_.clear();
  for (MinibatchStream& stream : streams_) combined_.push_back(fetched(stream.next()));
  rank_.compute(cost_of_next(false), [&] {
    kernels::set_to_zero(combination_.view());
    for (std::size_t share = 0; share < combined_.size(); ++share) {
      context_.model.gradient(replica_, combined_[share], gradient_.view(), workspace_);
      kernels::axpy(coefficients[share] * weight_of(share), gradient_.view(), combination_.view());
    }
  });
  return combination_.view();
}

Vector Worker::compute_weighed_mean() {
  const std::vector<double> alike(weights_.size(), 1.0 / static_cast<double>(weights_.size()));
  return compute_combination(alike, done_);
}

std::optional<Vector> Worker::compute_share_unless(std::size_t share, std::uint64_t number,
                                                   FunctionRef<void(const Message&)> take) {
  require(share < streams_.size(), "a share is one of those that the worker has");
  skip_to(share, number);
  const Batch batch = fetched(streams_[share].next());
  return compute_unless(batch, cost_of(1.0, next_slowdown()), weight_of(share), take);
}

}  // namespace trainyard
