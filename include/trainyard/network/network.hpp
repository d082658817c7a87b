// What the network between the ranks is like: the α-β model of one logical switch.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// How long a message holds its two ports (catalogue §1.1; Liu & Zhang 2020, §1.3).
/// circuit: both ports for α + βb. cutthrough: the send port for βb, the receive port for βb from
/// the moment the first bit arrives, so that the latency of one message overlaps the next.
enum class PortMode { circuit, cutthrough };

/// "circuit", "cutthrough". Throws UsageError, naming `what`.
PortMode parse_port_mode(std::string_view text, std::string_view what);
std::string port_mode_text(PortMode mode);

struct Network {
  Duration latency{0};                                                // α, a message
  double bytes_per_second = std::numeric_limits<double>::infinity();  // 1/β
  PortMode ports = PortMode::circuit;

  /// Nothing is waited for: messages arrive as they are posted.
  bool perfect() const { return latency.count() == 0 && std::isinf(bytes_per_second); }

  /// βb, rounded to the nearest picosecond.
  Duration transfer_time(std::uint64_t bytes) const {
    return seconds(static_cast<double>(bytes) / bytes_per_second);
  }
  /// α + βb: from start to last bit.
  Duration message_time(std::uint64_t bytes) const { return latency + transfer_time(bytes); }
};

}  // namespace trainyard
