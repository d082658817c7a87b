#include "trainyard/runtime/minibatch_costs.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

double slowdown_of(const RunContext& context, int rank) {
  return context.slowdown[static_cast<std::size_t>(rank)];
}

}  // namespace

MinibatchCosts::MinibatchCosts(const RunContext& context, int rank, int workers,
                               std::span<const int> shares)
    : context_(context),
      rank_(rank),
      slowdown_(slowdown_of(context, rank)),
      noisy_(context.compute_noise.any()),
      shares_(shares.size()) {
  const bool stands_for_all = workers < context.workers;
  for (const int share : shares) {
    if (!stands_for_all && !noises_.empty()) break;
    const RandomStream fresh(context.seed, Purpose::compute_time,
                             static_cast<std::uint32_t>(stands_for_all ? share : rank));
    noises_.emplace_back(context.compute_noise, noisy_ ? stream_of(noises_.size(), fresh) : fresh);
  }
}

MinibatchCosts::~MinibatchCosts() {
  if (!noisy_) return;
  for (std::size_t noise = 0; noise < noises_.size(); ++noise) {
    stream_of(noise, noises_[noise].random()) = noises_[noise].random();
  }
}

/// In what the run keeps.
RandomStream& MinibatchCosts::stream_of(std::size_t noise, const RandomStream& fresh) const {
  return context_.state.stream(rank_, fmt::format("compute time {}", noise), fresh);
}

void MinibatchCosts::draw() {
  double factors = 0.0;
  Duration pause{0};
  for (std::size_t share = 0; share < shares_; ++share) {
    const Slowdown random = noises_[share % noises_.size()].next();
    factors += slowdown_ * random.factor;
    pause = checked_sum(pause, random.pause);
  }
  cost_ = ComputeCost{.simulated = scaled(context_.minibatch_time, portion_ * factors),
                      .slowdown = factors / static_cast<double>(shares_),
                      .pause = pause};
}

ComputeCost MinibatchCosts::of(double minibatches, const Slowdown& noise) const {
  require(minibatches >= 0.0, "arithmetic takes no negative time");
  const double slowdown = slowdown_ * noise.factor;
  return {.simulated = scaled(context_.minibatch_time, minibatches * slowdown),
          .slowdown = slowdown,
          .pause = noise.pause};
}

}  // namespace trainyard
