// What commands about predictions ask for alike.
#pragma once

#include <cstdint>
#include <string>

#include "trainyard/analysis/prediction.hpp"

namespace trainyard::app {

/// Floats of a model of --size. Throws UsageError.
std::uint64_t parameters_of_size(const std::string& text);
/// Of who gives no flags.
PredictionSetting default_prediction();

}  // namespace trainyard::app
