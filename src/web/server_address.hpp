// Where the lab's server listens, and under which names browsers ask it.
#pragma once

#include <string>

namespace trainyard {

/// An address of --listen-to-network as browsers write it in Host: "FD00:0::5" is "fd00::5", and
/// "::ffff:192.168.1.5" is "192.168.1.5". Throws UsageError for what is no address, and for one
/// that stands for all of them.
std::string listening_address(const std::string& text);

/// "http://127.0.0.1:41253", "http://[fd00::5]:41253"
std::string url_of(const std::string& address, int port);

/// Whether `host`, of a request's Host or Origin, is the server at `address`, or a name that only
/// ever means this machine.
bool is_host_of(const std::string& host, const std::string& address, int port);

}  // namespace trainyard
