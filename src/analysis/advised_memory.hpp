// What workers need at least to hold a model and to step it.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <string>

#include "trainyard/analysis/advice.hpp"

namespace trainyard {

MemoryNeed memory_need(const Contestant& contestant, const PredictionSetting& setting,
                       const OptimizerOptions& optimizer);

/// "a worker has at least 5 vectors of the model's length: …, of …", of a need that is beyond it.
std::string beyond_memory(const MemoryNeed& need, std::uint64_t memory_bytes);

/// Throws OptionError where not even a model and its gradient have room.
void check_memory_holds(const PredictionSetting& setting, std::uint64_t memory_bytes);

}  // namespace trainyard
