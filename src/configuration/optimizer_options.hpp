// The options of [optimizer].
#pragma once

#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> optimizer_options();

}  // namespace trainyard
