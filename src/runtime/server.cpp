#include "trainyard/runtime/server.hpp"

#include <algorithm>

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

constexpr std::string_view version_name = "version", minibatches_name = "minibatches";

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
      version_(context.state.count(rank.rank(), version_name)),
      minibatches_(context.state.count(rank.rank(), minibatches_name)) {
  sum_ = VectorBuffer::zeroed(shard_.scalar(), shard_.size());
}

/// The next leg goes on from there.
Server::~Server() {
  context_.state.count(rank_.rank(), version_name) = version_;
  context_.state.count(rank_.rank(), minibatches_name) = minibatches_;
}

std::size_t Server::first_parameter() const {
  const int index = rank_.rank() - rank_.workers() - context_.proxies;
  return even_cut(context_.model.dimension(), index, rank_.servers() - context_.proxies);
}

void Server::set_to_untouched(int worker, ConstVector read, Vector gradient) const {
  const Regulariser regulariser = context_.model.regulariser();
  const std::size_t first = first_parameter();
  const std::size_t weights =
      std::min(regulariser.weights - std::min(regulariser.weights, first), gradient.size());
  kernels::scaled_copy(regulariser.l2, read.first(weights), gradient.first(weights));
  kernels::set_to_zero(gradient.subspan(weights, gradient.size() - weights));
  if (context_.loss_weights.empty()) return;
  const double weight = context_.loss_weights[static_cast<std::size_t>(worker)];
  if (weight != 1.0) kernels::scale(weight, gradient);
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

Optimizer& Server::optimizer() {
  if (!optimizer_) {
    const Holding held(first_parameter(), shard_.size());
    optimizer_.emplace(
        context_.optimizer, [&](std::string_view name) { return keep(name, shard_.size()); },
        context_.state.count(rank_.rank(), "optimizer.t"),
        penalty_within(context_.model.absolute_penalty(), held), context_.stepped_matrices(held));
  }
  return *optimizer_;
}

void Server::apply(ConstVector gradient, std::uint64_t minibatches, double scale, double stretch) {
  optimizer().apply(shard_, gradient, context_.epochs(minibatches_), scale, stretch);
  count_update(minibatches);
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
