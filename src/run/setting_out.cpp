#include "run/setting_out.hpp"

#include <algorithm>
#include <cstdint>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/share_weights.hpp"

namespace trainyard {

namespace {

/// So many workers compute each minibatch together, and so take their steps together; where the
/// pace is lockstep, all do.
int team_of(const Plan& plan) {
  return plan.scheme->order.pace == Pace::free ? plan.cast.tensor_size : 1;
}

/// In `wall`, the lots in which free workers take steps: a 256th of the run each, so that the last
/// lots even out, and at most 1024. Of a run that the clock ends, a 256th of what lies between two
/// evaluations: its steps are no measure, and minibatches are counted when a lot is done.
std::uint64_t lot_size(const Plan& plan) {
  const auto team = static_cast<std::uint64_t>(team_of(plan));
  if (plan.configuration.time == TimeMode::simulated) return team;
  const bool by_clock = plan.limits.time != Duration::max();
  const std::uint64_t steps =
      by_clock ? std::min(plan.limits.steps, plan.limits.evaluate_every) : plan.limits.steps;
  return team * std::clamp<std::uint64_t>(steps / 256, 1, 1024);
}

}  // namespace

Drawing drawing_of(const Configuration& c) {
  if (c.replacement) return Drawing::replacement;
  return c.order == RowOrder::reshuffle ? Drawing::reshuffled : Drawing::cyclic;
}

std::vector<double> slowdown_of(const Configuration& c) {
  std::vector<double> factors(static_cast<std::size_t>(c.workers), 1.0);
  for (const Straggler& straggler : c.stragglers) {
    factors[static_cast<std::size_t>(straggler.rank)] = straggler.factor;
  }
  return factors;
}

Shares shares_of(const Plan& plan) {
  const Configuration& c = plan.configuration;
  Shares shares{.loss_weights = loss_weights(*plan.scheme, c, plan.parts)};
  if (c.deal != Deal::once) shares.dealt = laid_out(plan.data->train, plan.parts);
  return shares;
}

std::unique_ptr<DealBySpeed> deal_by_speed(const Plan& plan, RunState& state) {
  const Configuration& c = plan.configuration;
  // Who stands for all takes the rows of all.
  if (c.deal != Deal::speed || plan.cast.workers != c.workers) return nullptr;
  return std::make_unique<DealBySpeed>(c.workers, c.batch * static_cast<std::size_t>(c.workers),
                                       state);
}

std::uint64_t seed_of_part(std::uint64_t seed, std::uint64_t number) {
  return seed + number * 0x9E3779B97F4A7C15U;  // 2^64/φ, odd: far apart, and none twice
}

StepRule step_rule(const Plan& plan) {
  return {.pace = plan.scheme->order.pace,
          .limits = plan.limits,
          .workers = plan.cast.workers,
          .team = team_of(plan),
          .lot = lot_size(plan)};
}

Snapshot start_of(const Plan& plan, ConstVector initial) {
  Snapshot start{.model = initial};
  const bool replicas = plan.cast.model == ModelHome::replicas;
  const bool many = (replicas && (plan.holdings.empty() || plan.layout().copies() > 1)) ||
                    (plan.cast.model == ModelHome::shared && plan.cast.shared_models > 1);
  if (many) start.consensus_distance = 0.0;
  return start;
}

}  // namespace trainyard
