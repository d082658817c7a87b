// The availability of FedScale's clients, from JSON (network/fault_trace.hpp).
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/fault_trace.hpp"

namespace trainyard {

/// Of each client, in the text's order; at least one. What is beyond a client's period is never
/// reached, and left out. Throws UsageError, "NAME: client …: what was found; what is accepted".
std::vector<ClientTimes> parse_client_times(std::string_view text, const std::string& name);

/// Between those in which it is up.
TracedOutages outages_of(const ClientTimes& client);

}  // namespace trainyard
