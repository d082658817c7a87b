#include "trainyard/runtime/fixed_minibatches.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

namespace {

std::size_t rows_of_worker(const WorkerParts& parts) {
  const RunContext& context = parts.context;
  if (context.dealt != nullptr) {
    throw OptionError("deal", deal_text(context.by_speed != nullptr ? Deal::speed : Deal::pass),
                      fmt::format("{} remembers each minibatch of a worker's rows, and needs to "
                                  "know for the whole run which worker has them; once is accepted",
                                  context.scheme));
  }
  return context.parts[static_cast<std::size_t>(parts.rank.rank())].size();
}

}  // namespace

FixedMinibatches::FixedMinibatches(Worker& worker)
    : worker_(worker),
      rows_(rows_of_worker(WorkerParts(worker))),
      count_(static_cast<std::size_t>(worker.minibatches().of_epoch())) {}

std::size_t FixedMinibatches::rows_of(std::size_t number) const {
  const std::size_t batch = WorkerParts(worker_).context.batch;
  return std::min(batch, rows_ - number * batch);
}

double FixedMinibatches::part(std::size_t number) const {
  return static_cast<double>(rows_of(number)) / static_cast<double>(rows_);
}

Vector FixedMinibatches::compute_gradient(std::size_t number) {
  require(number < count_, "a minibatch is one of those that there are");
  const WorkerParts parts(worker_);
  parts.needs_whole("FixedMinibatches::compute_gradient()");
  Minibatches& minibatches = parts.minibatches;
  // Where the rows lie the next minibatch tells, which is drawn once and never taken.
  if (range_.data == nullptr) range_.data = minibatches.upcoming(0).front().data;
  range_.first = number * parts.context.batch;
  range_.count = rows_of(number);
  parts.batch = minibatches.fetched({&range_, 1});
  MinibatchCosts& costs = minibatches.costs();
  const double weight = minibatches.loss_weight();
  parts.rank.compute(costs.of(minibatches.count_of(parts.batch), costs.next_slowdown()),
                     [&] { parts.take_gradient(worker_.replica(), parts.batch, weight); });
  return parts.gradient;
}

}  // namespace trainyard
