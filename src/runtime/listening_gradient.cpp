#include "trainyard/runtime/listening_gradient.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

/// False when `serve` said so.
bool ListeningGradient::compute_serving(Batch batch, const ComputeCost& cost, double weight,
                                        FunctionRef<bool(Message&)> serve) {
  const WorkerParts parts(worker_);
  parts.needs_whole("ListeningGradient::compute()");
  const Vector replica = worker_.replica();
  if (read_at_.empty()) read_at_ = VectorBuffer(replica.scalar(), replica.size());
  kernels::copy(replica, read_at_.view());
  parts.batch = batch;
  return parts.rank.compute_serving(
      cost, [&] { parts.take_gradient(read_at_.view(), parts.batch, weight); }, serve);
}

std::optional<Vector> ListeningGradient::compute_unless(Batch batch, const ComputeCost& cost,
                                                        double weight,
                                                        FunctionRef<void(const Message&)> take) {
  const bool done = compute_serving(batch, cost, weight, [&](const Message& message) {
    take(message);
    return false;
  });
  if (!done) return std::nullopt;
  return WorkerParts(worker_).gradient;
}

Vector ListeningGradient::compute(FunctionRef<void(Message&)> serve) {
  Minibatches& minibatches = worker_.minibatches();
  const Batch batch = minibatches.next();
  compute_serving(batch, minibatches.costs().of_next(), minibatches.loss_weight(),
                  [&](Message& message) {
                    serve(message);
                    return true;
                  });
  return WorkerParts(worker_).gradient;
}

std::optional<Vector> ListeningGradient::compute_unless(FunctionRef<void(const Message&)> take) {
  Minibatches& minibatches = worker_.minibatches();
  const Batch batch = minibatches.next();
  return compute_unless(batch, minibatches.costs().of_next(), minibatches.loss_weight(), take);
}

std::optional<Vector> ListeningGradient::compute_share_unless(
    std::size_t share, std::uint64_t number, FunctionRef<void(const Message&)> take) {
  Minibatches& minibatches = worker_.minibatches();
  const Batch batch = minibatches.of_share(share, number);
  MinibatchCosts& costs = minibatches.costs();
  return compute_unless(batch, costs.of(1.0, costs.next_slowdown()),
                        minibatches.loss_weight_of(share), take);
}

/// Once: every batch of a run has the same portions.
void ListeningGradient::check_portion(std::size_t number) {
  const RunContext& context = WorkerParts(worker_).context;
  checked_portions_.resize(context.portions());
  if (checked_portions_[number]) return;
  check_rows(context.train, portion_.first, portion_.count);
  checked_portions_[number] = true;
}

std::optional<Vector> ListeningGradient::compute_portion_unless(
    std::size_t number, FunctionRef<void(const Message&)> take) {
  const RunContext& context = WorkerParts(worker_).context;
  require(number < context.portions(), "a portion is one of those that there are");
  portion_ = context.portion(number);
  if (!context.train.unchecked_file.empty()) check_portion(number);
  Minibatches& minibatches = worker_.minibatches();
  const Batch batch = minibatches.fetched({&portion_, 1});
  return compute_unless(batch, minibatches.costs().of_next(), 1.0, take);
}

}  // namespace trainyard
