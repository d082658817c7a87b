// A short run of a scheme of one's own before the real one.
//
// Threads: any; oneTBB's may work for it, and have ended when it returns.
#pragma once

#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Plays a few steps of `scheme` in simulated time with the workers, graph and hyperparameters of
/// the run, on a model of a few numbers: a field that its program needs and its row lacks comes to
/// light before any training, also where it is needed only every so many steps. Throws UsageError,
/// naming scheme and field. REQUIRES: the hyperparameters are complete.
void rehearse(const Scheme& scheme, const Configuration& configuration);

/// The configuration of such a run: everything that says who sends what to whom, and no more; as
/// many steps as it takes until everything has happened, at most 256, each worker with one row.
Configuration configuration_of_rehearsal(const Scheme& scheme, const Configuration& configuration);

}  // namespace trainyard
