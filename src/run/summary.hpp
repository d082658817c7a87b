// The numbers of a run that has ended.
#pragma once

#include <span>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// What was planned, evaluated and measured. What was counted at the very end, as messages and
/// bytes, is the caller's to add. REQUIRES: it was evaluated once at least.
Summary summarise(const Plan& plan, std::span<const Metrics> metrics, const Staleness& staleness,
                  const RuntimeReport& report, const RunState& state);

}  // namespace trainyard
