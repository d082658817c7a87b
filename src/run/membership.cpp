#include "run/membership.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "trainyard/aggregation/attack.hpp"
#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

Membership::Membership(const Faults& faults, int workers, int ranks, std::uint64_t seed) {
  for (int rank = 0; rank < ranks; ++rank) {
    ranks_.push_back({crashes_of(faults, rank, workers, seed)});
  }
}

std::optional<MemberChange> Membership::next_of(bool with_those_back) {
  std::optional<MemberChange> next;
  const auto consider = [&](const MemberChange& change) {
    const bool is_earlier = !next || change.at < next->at;
    if (is_earlier || (change.at == next->at && next->joins && !change.joins)) next = change;
  };
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    OfRank& own = ranks_[r];
    if (own.back) {
      if (with_those_back && *own.back != Time::max()) {
        consider({static_cast<int>(r), *own.back, true});
      }
    } else if (const FaultTime* down = own.crashes.get(own.met, Time::max())) {
      consider({static_cast<int>(r), down->from, false});
    }
  }
  return next;
}

/// Stretches that begin before another one has ended are one.
void Membership::take(const MemberChange& change) {
  OfRank& own = ranks_[static_cast<std::size_t>(change.rank)];
  if (change.joins) {
    own.back.reset();
    return;
  }
  Time back = own.crashes.get(own.met, Time::max())->until;
  const FaultTime* down = own.crashes.get(++own.met, back);
  for (; down != nullptr && back != Time::max(); down = own.crashes.get(++own.met, back)) {
    back = std::max(back, down->until);
  }
  own.crashes.forget_before(own.met);
  own.back = back;
}

std::vector<int> Membership::ranks() const {
  std::vector<int> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (!ranks_[r].back) all.push_back(static_cast<int>(r));
  }
  return all;
}

std::optional<Membership> membership_of(const Faults& faults, int workers, int ranks,
                                        std::uint64_t seed) {
  if (!faults.crash() || faults.on_failure != OnFailure::shrink) return std::nullopt;
  return Membership(faults, workers, ranks, seed);
}

namespace {

/// The configuration of a run of these workers alone, as they are known to it.
Configuration configuration_of(const Configuration& whole, const std::vector<int>& workers,
                               std::uint64_t number) {
  Configuration c = whole;
  c.workers = static_cast<int>(workers.size());
  c.seed = seed_of_part(whole.seed, number);
  c.network.faults = {};
  c.sparse_wire = SparseWire::off;  // as in the whole run (key_width_of())
  c.stragglers.clear();
  for (std::size_t place = 0; place < workers.size(); ++place) {
    for (const Straggler& straggler : whole.stragglers) {
      if (straggler.rank == workers[place]) {
        c.stragglers.push_back({static_cast<int>(place), straggler.factor});
      }
    }
  }
  c.optimizer.step_epochs *= static_cast<double>(c.workers) / whole.workers;
  return c;
}

/// A run by epochs takes so many more steps that the minibatches are those asked for.
std::uint64_t steps_in_all(const Plan& whole, const Plan& now, std::uint64_t steps,
                           std::uint64_t minibatches) {
  const Configuration& c = whole.configuration;
  if (!c.epochs) return whole.limits.steps;
  const auto of_step = [&](int workers) {
    return minibatches_of_step(*whole.scheme, workers, c.hyperparameters);
  };
  const double all = std::ceil(*c.epochs * static_cast<double>(whole.data->train.rows) /
                               static_cast<double>(c.batch));
  const auto asked =
      static_cast<std::uint64_t>(std::ceil(all / static_cast<double>(of_step(c.workers))));
  if (whole.limits.steps < asked) return whole.limits.steps;  // --steps ends it before
  const std::uint64_t wanted = whole.limits.steps * of_step(c.workers);
  const std::uint64_t a_step = of_step(now.configuration.workers);
  return steps + (std::max(wanted, minibatches) - minibatches + a_step - 1) / a_step;
}

}  // namespace

std::unique_ptr<Formation> formation_of(const Plan& whole, std::vector<int> ranks,
                                        std::uint64_t number, std::uint64_t steps,
                                        std::uint64_t minibatches) {
  std::vector<int> workers = ranks;
  std::erase_if(workers, [&](int rank) { return rank >= whole.cast.workers; });
  auto formation = std::make_unique<Formation>(Formation{
      plan_run(*whole.scheme, configuration_of(whole.configuration, workers, number), *whole.data),
      std::move(ranks)});
  Plan& plan = formation->plan;
  if (plan.cast.servers != whole.cast.servers) {
    throw UsageError(fmt::format("they have {}, and the run began with {}",
                                 counted(plan.cast.servers, "server"), whole.cast.servers));
  }
  plan.limits.steps = steps_in_all(whole, plan, steps, minibatches);
  OptimizerOptions& optimizer = plan.configuration.optimizer;
  if (optimizer.run_epochs > 0.0) {
    const double done = static_cast<double>(minibatches * plan.configuration.batch) /
                        static_cast<double>(whole.data->train.rows);
    optimizer.run_epochs =
        done + static_cast<double>(plan.limits.steps - steps) * optimizer.step_epochs;
  }
  formation->shares = shares_of(plan);
  return formation;
}

void check_membership(const Scheme& scheme, const Configuration& c) {
  const Faults& faults = c.network.faults;
  if (!faults.crash() || faults.on_failure != OnFailure::shrink) return;
  const auto refuse = [](const std::string& why) {
    throw OptionError("on-failure", "shrink", why + "; wait, stop and restart are accepted");
  };
  if (!scheme.order.members_may_change) {
    refuse(fmt::format("{} has no rule for members that change ('trainyard list schemes {}')",
                       scheme.name, scheme.name));
  }
  const std::string& codec = ingredient_name(c.ingredients, "codec");
  if (scheme.messages.codec_optional && !make_codec(codec)->is_identity()) {
    refuse(
        fmt::format("with --codec {} each worker keeps the error of its part of the mean, and "
                    "of fewer workers the parts are others",
                    codec));
  }
  if (c.checkpoint_every || !c.checkpoint.empty() || !c.resume.empty()) {
    refuse("members go on with what they have, and nobody makes or reads a checkpoint");
  }
  if (c.global_batch) {
    refuse("--global-batch is divided once, among all workers (--batch is for each)");
  }
  if (c.network.charge_control) refuse("--charge-control charges what all workers tell each other");
  if (const std::string& liars = ingredient_name(c.ingredients, byzantine_kind);
      make_byzantine(liars, c.workers).liars > 0) {
    refuse(fmt::format("--byzantine {} says of how many workers who lies", liars));
  }
}

}  // namespace trainyard
