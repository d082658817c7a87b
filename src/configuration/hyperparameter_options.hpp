// The options of [scheme]: what the rows of the schemes name.
#pragma once

#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

/// Every hyperparameter that some scheme takes, once.
std::vector<Option> hyperparameter_options();

}  // namespace trainyard
