// Shared by schemes that average the workers' replicas now and then.
#pragma once

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

/// x_i ← (1/n) Σ_j x_j in the way that --collective says, and the same with the velocities where
/// the optimizer has one: twice the bytes. What Adam and Adagrad keep stays with each worker.
void average_replicas(Worker& worker);

}  // namespace trainyard
