// What is worth saying of how a run went.
//
// Threads: any; functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

/// Where the loss of the last evaluation is not finite, or more than 1000 times the first, by which
/// the run has diverged. (Logistic loss grows only linearly in the weights, and would take a very
/// long time to overflow.)
std::optional<std::string> divergence_note(std::span<const Metrics> metrics);

/// Where it has not, and the loss ended above the one it began with.
std::optional<std::string> risen_note(std::span<const Metrics> metrics);

/// Where evaluating was given up: the losses are those of an earlier model.
std::string missing_look_note(const Metrics& last, double steps);

/// Where the trace that was asked for is not whole, or is empty.
std::optional<std::string> trace_end_note(const Trace& trace);

/// What to make of times that were taken while threads shared cores, and of a shared model. What
/// has to be timed for it is where somebody `listens`.
void remark_end(const Plan& plan, const Summary& summary, ConstVector model, bool listens,
                const Remark& remark);

}  // namespace trainyard
