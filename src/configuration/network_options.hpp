// The part of the table of options that describes the network.
#pragma once

#include <string>
#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> network_options();

}  // namespace trainyard
