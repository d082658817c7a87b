// The numbers of a run: what an evaluation finds of the model as it is just then, and the summary
// of a run that has ended.
//
// Threads: the calling one; measure() also has oneTBB's, which have ended their work when it
// returns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// Empty where the run was interrupted and the model is too large to be evaluated once more.
std::optional<Metrics> measure(const Plan& plan, const Snapshot& snapshot,
                               const GracePeriod& grace);

/// What was planned, evaluated and measured. What was counted at the very end, as messages and
/// bytes, is the caller's to add. The model is that of evaluation number `kept`. REQUIRES: it was
/// evaluated once at least.
Summary summarise(const Plan& plan, std::span<const Metrics> metrics, std::size_t kept,
                  const Staleness& staleness, const RuntimeReport& report, const RunState& state);

/// So many rows have been computed when the workers have taken so many steps together: more than
/// the model has learnt from where gradients are dropped or computed twice. Workers that hold a
/// part of the model each compute a minibatch together.
std::uint64_t samples_computed(const Plan& plan, std::uint64_t worker_steps);

/// What was lost on purpose, and its share; empty where nothing was.
std::string lost_note(const Configuration& config, const Summary& summary);
/// The note about them for a run that its clock ended; empty without one.
std::string dropped_note(const Configuration& config, const Summary& summary);

/// What was sent, of ranks whose accounts are known.
void summarise_traffic(Summary& summary, const RuntimeReport& report);

}  // namespace trainyard
