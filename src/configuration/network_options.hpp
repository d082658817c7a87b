// The part of the table of options that describes the network.
#pragma once

#include <string>
#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

std::vector<Option> network_options();

/// Why no message takes time, whatever the network is; empty where one does.
std::string nothing_is_sent(const OptionSetting& setting);

}  // namespace trainyard
