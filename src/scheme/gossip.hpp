// What schemes share that talk to their neighbours in a graph.
#pragma once

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Δ(α + t), the whole model to and from each neighbour of round 0, with Δ the largest number of
/// them.
Duration neighbour_round_time(const StepSetting& setting);

}  // namespace trainyard
