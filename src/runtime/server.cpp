#include "trainyard/runtime/server.hpp"

#include <algorithm>

#include "trainyard/base/part_of.hpp"

namespace trainyard {

Server::Server(Rank& rank, const RunContext& context)
    : rank_(rank),
      context_(context),
      optimizer_(
          context.optimizer,
          part_of(context.initial_model, rank.rank() - rank.workers(), rank.servers()).size()) {
  const int index = rank.rank() - rank.workers();
  shard_ = context.control.keep_shard(
      index, AlignedBuffer<float>::copy_of(part_of(context.initial_model, index, rank.servers())));
  sum_ = AlignedBuffer<float>::zeroed(shard_.size());
}

std::span<float> Server::zeroed_sum() {
  std::ranges::fill(sum_, 0.0F);
  return sum_.span();
}

void Server::apply(std::span<const float> gradient, std::uint64_t minibatches) {
  optimizer_.apply(shard_, gradient, context_.epochs(minibatches_));
  minibatches_ += minibatches;
  ++version_;
}

void Server::record_staleness(std::uint64_t version_read) {
  context_.control.staleness_of(rank_.rank()).record(version_ - version_read);
}

}  // namespace trainyard
