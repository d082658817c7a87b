// The address at which the lab's server listens, and the names under which browsers ask it.
#pragma once

#include <string>

namespace trainyard {

/// "http://127.0.0.1:41253", "http://[fd00::5]:41253"
std::string url_of(const std::string& address, int port);

/// Whether `host`, of a request's Host or Origin, is the server at `address`, or a name that only
/// ever means this machine.
bool is_host_of(const std::string& host, const std::string& address, int port);

}  // namespace trainyard
