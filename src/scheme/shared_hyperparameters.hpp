// Hyperparameters that several schemes have, each with one meaning.
#pragma once

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo period_info{
    .name = "period",
    .argument = "TAU",
    .help = "steps of a worker between two averages or exchanges",
    .fallback = 10,
    .low = 1,
    .high = 1e12,
    .whole = true,
    .cycle = true};

inline const HyperparameterInfo staleness_info{
    .name = "staleness",
    .argument = "S",
    .help = "steps that a worker may be ahead of the slowest",
    .fallback = 3,
    .low = 0,
    .high = 1e12,
    .whole = true};

inline const HyperparameterInfo moving_rate_info{
    .name = "moving-rate",
    .argument = "BETA",
    .help = "elasticity, of all together that draw at one model",
    .fallback = 0.9,
    .low = 0.0,
    .high = 100.0};

}  // namespace trainyard
