// The options of [output].
#pragma once

#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> output_options();

}  // namespace trainyard
