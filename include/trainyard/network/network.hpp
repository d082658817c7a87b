// The configuration of the network between the ranks: the α-β model of one logical switch, with
// links that may differ. links.hpp works out the link of each pair of ranks.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/network/faults.hpp"
#include "trainyard/network/link_table.hpp"

namespace trainyard {

/// How long a message holds its two ports (catalogue §1.1; Liu & Zhang 2020, §1.3).
/// circuit: both ports for α + βb. cutthrough: the send port for βb, the receive port for βb from
/// the moment the first bit arrives, so that the latency of one message overlaps the next.
enum class PortMode { circuit, cutthrough };

/// "circuit", "cutthrough". Throws UsageError, naming `what`.
PortMode parse_port_mode(std::string_view text, std::string_view what);
std::string port_mode_text(PortMode mode);

/// dedicated: each server on a machine of its own. colocated: each on the machine of a worker
/// (scheme/cast.hpp, hosts_of()), whose port it shares: one send port and one receive port carry
/// the messages of both, and what they tell each other takes no time and is no traffic. So
/// TensorFlow, MXNet and BigDL run their servers (catalogue §7).
enum class ServerPlacement { dedicated, colocated };

/// "dedicated", "colocated". Throws UsageError, naming `what`.
ServerPlacement parse_server_placement(std::string_view text, std::string_view what);
std::string server_placement_text(ServerPlacement placement);

/// A random time that is added to the latency of each message, drawn anew for each. Never negative,
/// so α stays the least that a message takes.
/// uniform: from [0, scale), mean scale/2. exponential: mean scale. lognormal: scale · e^z with z
/// standard normal, so median scale and mean 1.65 · scale: the long tail that is measured in
/// clusters.
struct Jitter {
  enum class Kind { none, uniform, exponential, lognormal };
  Kind kind = Kind::none;
  Duration scale{0};

  bool any() const { return kind != Kind::none && scale.count() > 0; }
};

/// "none", "uniform:50us", "exponential:50us", "lognormal:50us". Throws UsageError, naming `what`.
Jitter parse_jitter(std::string_view text, std::string_view what);
std::string jitter_text(const Jitter& jitter);

struct Network {
  Duration latency{0};                                                // α, a message
  double bytes_per_second = std::numeric_limits<double>::infinity();  // 1/β
  /// So many bytes of a connection may be under way before the first of them is acknowledged, a
  /// round trip after it was sent: no link carries more than the window in 2α (RFC 1323, §1.1). 0:
  /// as many as the link holds.
  std::uint64_t tcp_window = 0;
  /// Of the ports of workers' machines, where those that send and those that receive differ; empty:
  /// as bytes_per_second, which servers on machines of their own keep. Once one is given, a message
  /// goes at the speed of the slowest of its two ports and of what its link has of its own (racks,
  /// a table), and holds both ports as long as that takes.
  std::optional<double> up_bytes_per_second{}, down_bytes_per_second{};
  PortMode ports = PortMode::circuit;
  ServerPlacement server_placement = ServerPlacement::dedicated;

  /// The workers stand in so many racks, part by part as in even_split(), and those of one machine
  /// with its first; server s stands in rack s mod racks, so that with as many groups as racks each
  /// proxy of a hierarchical scheme stands with its group, and in that of its worker if it is
  /// colocated. The two numbers above hold inside a rack, the two below between racks; empty: as
  /// inside.
  int racks = 1;
  std::optional<Duration> between_latency{};
  std::optional<double> between_bytes_per_second{};

  LinkTable links{};  // links that are neither
  Jitter jitter{};
  Faults faults = Faults();  // GCC 12 warns of what {} leaves in temporaries
  std::uint64_t seed = 1;    // of jitter and losses

  /// Control traffic is what carries no payload: messages of no bytes, and barriers. It is free, as
  /// in the sources (catalogue §1.2), unless it is charged: then a message of no bytes takes α, and
  /// a barrier what barrier.hpp says, ⌈log2 n⌉ α on equal links.
  bool charge_control = false;

  /// Nothing is waited for: messages arrive as they are posted.
  bool perfect() const {
    return latency.count() == 0 && std::isinf(bytes_per_second) && equal_links() && !is_irregular();
  }
  /// A message may take another time than its like before.
  bool is_irregular() const { return jitter.any() || faults.on_messages(); }
  /// All links are like the default one.
  bool equal_links() const {
    const bool one_rack = racks == 1 || (!between_latency && !between_bytes_per_second);
    return one_rack && links.empty() && !unequal_ports();
  }
  bool unequal_ports() const { return up_bytes_per_second || down_bytes_per_second; }
  double worker_up() const { return up_bytes_per_second.value_or(bytes_per_second); }
  double worker_down() const { return down_bytes_per_second.value_or(bytes_per_second); }
  /// From one worker to another.
  Link default_link() const {
    return within_window({latency, std::fmin(worker_up(), worker_down())});
  }
  /// The link as one connection can use it.
  Link within_window(Link link) const {
    if (tcp_window == 0 || link.latency.count() == 0) return link;
    const double most = static_cast<double>(tcp_window) / (2.0 * to_seconds(link.latency));
    link.bytes_per_second = std::fmin(link.bytes_per_second, most);
    return link;
  }

  /// βb of the default link, rounded to the nearest picosecond.
  Duration transfer_time(std::uint64_t bytes) const { return default_link().transfer_time(bytes); }
  /// α + βb of the default link, from start to last bit.
  Duration message_time(std::uint64_t bytes) const { return latency + transfer_time(bytes); }
};

/// All links carry `factor` times as much: a message of as many times the bytes takes as long.
void slow_down(Network& network, double factor);

/// How long a message takes that carries so many numbers of a vector, from start to last bit. What
/// closed forms are made of: they need not know what a number costs on the wire.
using MessageTime = FunctionRef<Duration(std::size_t numbers)>;

/// Numbers as they are, in single precision. Without any it is control traffic.
struct FloatMessages {
  const Network& network;

  Duration operator()(std::size_t numbers) const {
    const bool free = numbers == 0 && !network.charge_control;
    return free ? Duration{0} : network.message_time(numbers * sizeof(float));
  }
};
/// Encoded vectors: as many bytes as they say.
struct ByteMessages {
  const Network& network;

  Duration operator()(std::size_t bytes) const { return network.message_time(bytes); }
};

}  // namespace trainyard
