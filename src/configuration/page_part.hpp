// The part [page] of a configuration: what a lab's page says and lets one move
// (trainyard/configuration/labs.hpp has an example).
//
// Threads: any; this is a function of its arguments.
#pragma once

#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "trainyard/configuration/labs.hpp"

namespace trainyard {

inline constexpr std::string_view page_key = "page";

/// Parts that are not there are empty. Throws UsageError: "FILE:LINE: what was found; what is
/// accepted".
LabPage read_page(const toml::node& part, const std::string& file);

}  // namespace trainyard
