#include "trainyard/runtime/robust_mean.hpp"

#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

namespace {

constexpr std::uint32_t no_rank = ~std::uint32_t{0};

/// Everybody's alike.
RandomStream& stream_of_rule(const Rank& rank, const RunContext& context) {
  return context.state.stream(rank.rank(), "aggregation",
                              RandomStream(context.seed, Purpose::aggregation, no_rank));
}

}  // namespace

Byzantine byzantine_of(const Ingredients& ingredients) {
  const Byzantine* found = ingredients.find<Byzantine>(byzantine_kind);
  return found == nullptr ? Byzantine() : *found;
}

bool is_robust(const Ingredients& ingredients) {
  const Aggregator* rule = ingredients.find<Aggregator>(aggregate_kind);
  return rule != nullptr && (!rule->is_mean() || byzantine_of(ingredients).liars > 0);
}

bool asks_for_robust(const std::map<std::string, std::string, std::less<>>& names) {
  const auto has_other = [&](const char* kind, const char* fallback) {
    const auto found = names.find(kind);
    return found != names.end() && found->second != fallback;
  };
  return has_other(aggregate_kind, "mean") || has_other(byzantine_kind, "none");
}

RobustMean::RobustMean(Worker& worker)
    : RobustMean(WorkerParts(worker).rank, WorkerParts(worker).context, worker.replica().size(),
                 WorkerParts(worker).minibatches.costs().slowdown(), no_rank) {}

RobustMean::RobustMean(Server& server)
    : RobustMean(server.rank_, server.context_, server.shard().size(), 1.0,
                 static_cast<std::uint32_t>(server.rank_.rank())) {}

/// `stream`: of what liars draw. The one of the rule is everybody's, so that the shards of a model
/// are combined alike.
RobustMean::RobustMean(Rank& rank, const RunContext& context, std::size_t length, double slowdown,
                       std::uint32_t stream)
    : rank_(rank),
      context_(context),
      slowdown_(slowdown),
      byzantine_(byzantine_of(context.ingredients)),
      lying_(context.state.stream(rank.rank(), "lies",
                                  RandomStream(context.seed, Purpose::byzantine, stream))),
      scratch_(stream_of_rule(rank, context)) {
  if (!is_robust(context.ingredients)) return;
  rule_ = &context.ingredients.get<Aggregator>(aggregate_kind);
  const auto vectors = static_cast<std::size_t>(rule_->vectors());
  const Scalar scalar = context.model.scalar();
  for (std::size_t i = 0; i < vectors; ++i) places_.push_back(VectorBuffer::zeroed(scalar, length));
  heard_.reserve(vectors);
  all_.reserve(vectors);
  honest_.reserve(vectors);
  lies_.reserve(vectors);
  if (rule_->carries()) {
    result_ = context.state.keep(rank.rank(), "aggregate", length);
  } else {
    own_result_ = VectorBuffer::zeroed(scalar, length);
    result_ = own_result_.view();
  }
}

RobustMean::~RobustMean() {
  stream_of_rule(rank_, context_) = scratch_.random;
}

Vector RobustMean::place_of(int worker) {
  require(heard_.size() < places_.size(), "as many vectors are combined as the rule was made for");
  require(heard_.empty() || heard_.back() < worker, "workers are heard in their order");
  heard_.push_back(worker);
  return places_[heard_.size() - 1].view();
}

void RobustMean::hear(int worker, ConstVector vector) {
  kernels::copy(vector, place_of(worker));
}

void RobustMean::hear_difference(int worker, ConstVector vector, ConstVector from) {
  const Vector place = place_of(worker);
  kernels::set_to_zero(place);
  kernels::add_difference(1.0, vector, from, place);
}

/// Puts the lies in place. In a round that too few honest workers are in, liars are at a loss.
void RobustMean::lie() {
  honest_.clear();
  lies_.clear();
  for (std::size_t i = 0; i < heard_.size(); ++i) {
    const bool lies = byzantine_.is_liar(heard_[i], context_.workers);
    if (lies) {
      lies_.push_back(places_[i].view());
    } else {
      honest_.push_back(std::as_const(places_[i]).view());
    }
  }
  const Attack& attack = *byzantine_.attack;
  const bool can = static_cast<int>(honest_.size()) >= attack.least_honest();
  if (!lies_.empty() && can && !attack.flips_labels()) {
    attack.lie(honest_, nullptr, lies_, lying_);
  }
}

ConstVector RobustMean::mean() {
  require(heard_.size() == places_.size(), "all vectors that a rule was made for are there");
  all_.clear();
  for (const VectorBuffer& place : places_) all_.push_back(place.view());
  const double coordinates = static_cast<double>(result_.size()) * slowdown_;
  int found = 0;
  rank_.compute({.simulated = scaled(context_.aggregate_time, coordinates), .slowdown = slowdown_},
                [&] {
                  if (byzantine_.liars > 0) lie();
                  found = rule_->combine(all_, scratch_, result_);
                });
  heard_.clear();
  if (found > 0 && !has_found_liars_) {
    has_found_liars_ = true;
    context_.state.remark(
        rank_.rank(),
        fmt::format("note: vectors with a number that is not finite came to rank {}; who sends "
                    "such a thing is taken for a liar, and what it sent is left out",
                    rank_.rank()));
  }
  return result_;
}

ConstVector RobustMean::mean_of_all(Communicator& comm, ConstVector own) {
  const int n = comm.workers();
  for (int round = 1; round < n; ++round) comm.send((comm.rank() + round) % n, own);
  for (int worker = 0; worker < n; ++worker) {
    if (worker == comm.rank()) {
      hear(worker, own);
    } else {
      hear(worker, comm.receive(worker).vector());
    }
  }
  return mean();
}

}  // namespace trainyard
