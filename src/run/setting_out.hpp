// The beginning of a run: how minibatches are drawn, whose computing is slow, by what steps are
// given out, and the point at which it begins.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/data/minibatch.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/deal_by_speed.hpp"
#include "trainyard/runtime/pacer.hpp"
#include "trainyard/runtime/steps.hpp"

namespace trainyard {

Drawing drawing_of(const Configuration& configuration);

/// One factor for each worker; 1 of those that are no stragglers.
std::vector<double> slowdown_of(const Configuration& configuration);

/// The workers' rows beside the plan's parts of them.
struct Shares {
  std::optional<Dataset> dealt{};      // RunContext::dealt; empty: nothing is dealt anew
  std::vector<double> loss_weights{};  // RunContext::loss_weights
};
Shares shares_of(const Plan& plan);
/// For the leg that `state` begins; nullptr where portions do not go by speed.
std::unique_ptr<DealBySpeed> deal_by_speed(const Plan& plan, RunState& state);

/// For the draws of the run's leg or formation of that number; 0: the run's own.
std::uint64_t seed_of_part(std::uint64_t seed, std::uint64_t number);

StepRule step_rule(const Plan& plan);

/// The starting point as a snapshot, which is looked at too, so that every curve begins at the same
/// loss.
Snapshot start_of(const Plan& plan, ConstVector initial);

}  // namespace trainyard
