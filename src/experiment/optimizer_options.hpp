// The options of [optimizer].
#pragma once

#include <vector>

#include "trainyard/experiment/options.hpp"

namespace trainyard {

std::vector<Option> optimizer_options();

}  // namespace trainyard
