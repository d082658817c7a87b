// The options of [compute].
#pragma once

#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> compute_options();

}  // namespace trainyard
