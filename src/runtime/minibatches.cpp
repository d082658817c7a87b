#include "trainyard/runtime/minibatches.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/runtime/data_server.hpp"
#include "trainyard/runtime/deal_by_speed.hpp"
#include "trainyard/runtime/robust_mean.hpp"

#include "runtime/leg_counts.hpp"

namespace trainyard {

namespace {

/// The same at every worker.
RandomStream deals_of(const RunContext& context) {
  constexpr std::uint32_t no_rank = ~std::uint32_t{0};
  return {context.seed, Purpose::minibatch, no_rank};
}

/// Whether that worker lies by computing on labels that are not those of its rows.
bool flips_labels(const RunContext& context, int worker) {
  const Byzantine byzantine = byzantine_of(context.ingredients);
  return byzantine.is_liar(worker, context.workers) && byzantine.attack->flips_labels();
}

/// y ← C − 1 − y, and where labels are numbers −y.
void flip_labels(Dataset& share) {
  for (Label& label : share.labels.span()) label = share.classes - 1 - label;
  for (float& target : share.targets.span()) target = -target;
}

}  // namespace

Minibatches::Minibatches(Rank& rank, const RunContext& context, std::span<const int> shares)
    : rank_(rank),
      context_(context),
      next_numbers_(shares.size(), 0),
      costs_(context, rank.rank(), rank.workers(), shares) {
  shares_.reserve(shares.size());  // streams keep references
  for (const int w : shares) {
    if (context.by_speed != nullptr) {  // one order for all, of which each takes its portion
      streams_.emplace_back(*context.dealt,
                            context.batch * static_cast<std::size_t>(context.workers),
                            Drawing::reshuffled, deals_of(context));
    } else if (context.dealt != nullptr) {
      const DealtPass::Place place{static_cast<std::size_t>(w), context.parts.size()};
      streams_.emplace_back(*context.dealt, place, context.batch, deals_of(context));
    } else {
      shares_.push_back(copy_rows(context.train, context.parts[static_cast<std::size_t>(w)]));
      if (flips_labels(context, w)) flip_labels(shares_.back());
      streams_.emplace_back(
          shares_.back(), context.batch, context.drawing,
          RandomStream(context.seed, Purpose::minibatch, static_cast<std::uint32_t>(w)));
    }
    if (context.loss_weights.empty()) continue;
    loss_weights_.push_back(context.loss_weights[static_cast<std::size_t>(w)]);
  }
  const std::span<const std::uint64_t> taken =
      context.state.counts(rank.rank(), taken_name, streams_.size());
  for (std::size_t share = 0; share < streams_.size(); ++share) {
    next_numbers_[share] = taken[share];
    if (taken[share] > 0) streams_[share].skip(taken[share]);
  }
  if (context.hot != nullptr) {
    for (Dataset& share : shares_) context.hot->renumber(share, rank.rank());
  }
  if (streams_.size() == 1 && !context.data_server && context.by_speed == nullptr)
    own_stream_ = &streams_.front();
}

Minibatches::~Minibatches() {
  const std::span<std::uint64_t> taken =
      context_.state.counts(rank_.rank(), taken_name, streams_.size());
  for (std::size_t share = 0; share < streams_.size(); ++share) {
    taken[share] = streams_[share].taken() - ahead_.size();
  }
  if (context_.by_speed != nullptr) context_.by_speed->put_down(rank_.rank(), context_.state);
}

Batch Minibatches::fetched(Batch rows) {
  if (context_.data_server) fetch_rows(rank_, *context_.data_server, rows);
  return rows;
}

/// Its own rows of the next step.
Batch Minibatches::draw_portion() {
  const std::uint64_t step = streams_.front().taken();
  auto [first, count] = context_.by_speed->portion(rank_, step);
  portion_ = static_cast<double>(count) / static_cast<double>(context_.batch);
  costs_.set_portion(portion_);
  ranges_.clear();
  for (const RowRange& range : streams_.front().next()) {
    const std::size_t before = std::min(first, range.count);
    const std::size_t taken = std::min(count, range.count - before);
    if (taken > 0) ranges_.push_back({range.data, range.first + before, taken});
    first -= before;
    count -= taken;
  }
  return ranges_;
}

/// One minibatch of each share.
Batch Minibatches::draw_of_shares() {
  if (context_.by_speed != nullptr) return draw_portion();
  if (streams_.size() == 1) return fetched(streams_.front().next());
  ranges_.clear();
  for (MinibatchStream& stream : streams_) {
    const Batch part = stream.next();
    ranges_.insert(ranges_.end(), part.begin(), part.end());
  }
  return fetched(ranges_);
}

Batch Minibatches::next_of_shares() {
  ++taken_;
  if (ahead_.empty()) return draw_of_shares();
  spare_.splice(spare_.end(), last_taken_);
  last_taken_.splice(last_taken_.end(), ahead_, ahead_.begin());
  return last_taken_.front();
}

Batch Minibatches::upcoming(std::size_t after) {
  own_stream_ = nullptr;  // it knows nothing of minibatches that were drawn ahead
  while (ahead_.size() <= after) {
    const Batch drawn = draw_of_shares();
    if (spare_.empty()) spare_.emplace_back();
    spare_.front().assign(drawn.begin(), drawn.end());
    ahead_.splice(ahead_.end(), spare_, spare_.begin());
  }
  return *std::next(ahead_.begin(), static_cast<std::ptrdiff_t>(after));
}

Batch Minibatches::of_share(std::size_t share, std::uint64_t number) {
  require(share < streams_.size(), "a share is one of those that the worker has");
  std::uint64_t& next = next_numbers_[share];
  require(number >= next, "minibatches come in order");
  if (number > next) streams_[share].skip(number - next);
  next = number + 1;
  return fetched(streams_[share].next());
}

void Minibatches::compute_on_next(FunctionRef<void(Batch)> work) {
  if (!loss_weights_.empty()) {
    throw OptionError("weights", share_weights_text(ShareWeights::rows),
                      fmt::format("{} computes no gradient as such, and weighs nothing by itself",
                                  context_.scheme));
  }
  const Batch batch = next();
  rank_.compute(costs_.of_next(), [&] { work(batch); });
}

}  // namespace trainyard
