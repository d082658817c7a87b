// Shared by schemes that average the workers' replicas now and then.
#pragma once

#include <optional>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// x_i ← (1/n) Σ_j x_j in the way that --collective says, and the same with the velocities where
/// the optimizer has one: twice the bytes. What Adam and Adagrad keep stays with each worker.
void average_replicas(Worker& worker);

/// The first step's time where all average in the way of --collective every --period steps.
std::optional<Duration> time_with_averages(const StepSetting& s);

}  // namespace trainyard
