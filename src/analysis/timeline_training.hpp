// Chooses the model and data of a timeline that shows a scheme.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Numbers of the model, where only its size shows: 96 kB.
inline constexpr std::size_t timeline_model_size = 24000;

/// Sets model and batch in `c`, and compute time, latency and pieces unless c.given has them.
/// REQUIRES: the rest of `c` is set.
LoadedData choose_training(const Scheme& scheme, Configuration& c);

}  // namespace trainyard
