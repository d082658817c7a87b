// What an evaluation finds of the model as it is just then.
//
// Threads: the calling one, and oneTBB's, which have ended their work when it returns.
#pragma once

#include <optional>

#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/pacing.hpp"

namespace trainyard {

/// Empty where the run was interrupted and the model is too large to be evaluated once more.
std::optional<Metrics> measure(const Plan& plan, const Snapshot& snapshot,
                               const GracePeriod& grace);

}  // namespace trainyard
