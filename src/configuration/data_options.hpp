// The options of [data].
#pragma once

#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> data_options();

}  // namespace trainyard
