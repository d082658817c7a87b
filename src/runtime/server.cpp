#include "trainyard/runtime/server.hpp"

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

ConstVector initial_shard(const Rank& rank, const RunContext& context) {
  const int index = rank.rank() - rank.workers() - context.proxies;
  if (index < 0) return context.initial_model.subspan(0, 0);
  return even_split(context.initial_model, index, rank.servers() - context.proxies);
}

}  // namespace

Server::Server(Rank& rank, const RunContext& context)
    : rank_(rank),
      context_(context),
      shard_(context.state.keep_model(rank.rank(), initial_shard(rank, context))),
      optimizer_(context.optimizer,
                 [&](std::string_view name) { return keep(name, shard_.size()); }) {
  sum_ = VectorBuffer::zeroed(shard_.scalar(), shard_.size());
}

std::uint64_t Server::minibatches_of_worker() const {
  const std::size_t rows_of_all = context_.batch * static_cast<std::size_t>(context_.workers);
  return (context_.train.rows + rows_of_all - 1) / rows_of_all;
}

double Server::portion_share(std::size_t number) const {
  return static_cast<double>(context_.portion(number).count) /
         static_cast<double>(context_.train.rows);
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

void Server::close_step(ConstVector gradient, std::uint64_t minibatches, double scale) {
  apply(gradient, minibatches, scale);
  context_.pacer.close_step(rank_, minibatches);
}

std::uint64_t Server::record_staleness(std::uint64_t version_read) {
  const std::uint64_t staleness = version_ - version_read;
  context_.state.staleness_of(rank_.rank()).record(staleness);
  return staleness;
}

}  // namespace trainyard
