// What is trained where a timeline shows a scheme.
#pragma once

#include "trainyard/analysis/timeline.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Numbers of the model, where only its size shows: 96 kB.
inline constexpr std::size_t timeline_model_size = 24000;

/// Sets model, batch, compute time and latency in `c`, and hyperparameters, unless the options say
/// them. REQUIRES: c.workers, c.servers, c.ingredients and c.network are set.
LoadedData choose_training(const Scheme& scheme, const TimelineOptions& options, Configuration& c);

}  // namespace trainyard
