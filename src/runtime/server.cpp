#include "trainyard/runtime/server.hpp"

#include "trainyard/base/part_of.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

Server::Server(Rank& rank, const RunContext& context)
    : rank_(rank),
      context_(context),
      optimizer_(
          context.optimizer, context.model.scalar(),
          part_of(context.initial_model, rank.rank() - rank.workers(), rank.servers()).size()) {
  const int index = rank.rank() - rank.workers();
  shard_ = context.control.keep_shard(
      index, VectorBuffer::copy_of(part_of(context.initial_model, index, rank.servers())));
  sum_ = VectorBuffer::zeroed(shard_.scalar(), shard_.size());
}

Vector Server::zeroed_sum() {
  kernels::set_to_zero(sum_.view());
  return sum_.view();
}

void Server::apply(ConstVector gradient, std::uint64_t minibatches, double scale, double stretch) {
  optimizer_.apply(shard_, gradient, context_.epochs(minibatches_), scale, stretch);
  minibatches_ += minibatches;
  ++version_;
}

std::uint64_t Server::record_staleness(std::uint64_t version_read) {
  const std::uint64_t staleness = version_ - version_read;
  context_.control.staleness_of(rank_.rank()).record(staleness);
  return staleness;
}

}  // namespace trainyard
