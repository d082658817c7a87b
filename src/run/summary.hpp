// The numbers of a run that has ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// What was planned, evaluated and measured. What was counted at the very end, as messages and
/// bytes, is the caller's to add. REQUIRES: it was evaluated once at least.
Summary summarise(const Plan& plan, std::span<const Metrics> metrics, const Staleness& staleness,
                  const RuntimeReport& report, const RunState& state);

/// So many rows have been computed when the workers have taken so many steps together: more than
/// the model has learnt from where gradients are dropped or computed twice. Workers that hold a
/// part of the model each compute a minibatch together.
std::uint64_t samples_computed(const Plan& plan, std::uint64_t worker_steps);

/// Messages to a rank that had ended, or that ended with the run.
std::uint64_t messages_dropped(const RuntimeReport& report);
/// What a run that its clock ended has to say of them; empty: nothing.
std::string dropped_note(const Configuration& config, const Summary& summary);

}  // namespace trainyard
