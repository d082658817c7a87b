// How much memory a run takes, before it takes it.
#pragma once

#include <cstddef>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/objects.hpp"

namespace trainyard {

/// The most that a run holds, in models (vectors of as many numbers as the model has parameters):
/// replicas, gradients, the state of optimizers, schemes and servers, messages under way, and the
/// copies that evaluation makes. Not in it: the data, and what does not grow with the model.
///
/// Nobody has to say how many it is for a scheme, or to keep that right: a few steps of it are run
/// in simulated time with this many workers on two small models, and what the larger one took more
/// is divided by what it is larger. REQUIRES: the hyperparameters are complete.
double models_held(const Scheme& scheme, const Configuration& configuration, const Model& model);

/// Throws RunError where that is more than the bound (memory_account.hpp) leaves. Where even a
/// generous guess fits, which is nearly always, nothing is run to find out.
void check_memory(const RunObjects& objects, const Configuration& configuration,
                  const LoadedData& data);

}  // namespace trainyard
