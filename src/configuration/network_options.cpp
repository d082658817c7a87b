#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

constexpr std::string_view as_inside = "inside";
constexpr std::string_view as_bandwidth = "same";

Option racks_option() {
  return {"network",
          "racks",
          "K",
          "the workers stand in K racks, in the order of their ranks",
          [](C& c, Text t, Text w) {
            c.network.racks = static_cast<int>(parse_integer(t, w, 1, 65536));
          },
          [](const C& c) { return fmt::to_string(c.network.racks); },
          true};
}

Option between_latency_option() {
  return {"network",
          "between-latency",
          "DURATION",
          "latency between racks; inside: the same as in a rack",
          [](C& c, Text t, Text w) {
            c.network.between_latency.reset();
            if (t != as_inside) c.network.between_latency = parse_duration(t, w);
          },
          [](const C& c) {
            return c.network.between_latency ? exact_text(*c.network.between_latency)
                                             : std::string(as_inside);
          }};
}

Option between_bandwidth_option() {
  return {"network",
          "between-bandwidth",
          "RATE",
          "bandwidth between racks; inside: the same as in a rack",
          [](C& c, Text t, Text w) {
            c.network.between_bytes_per_second.reset();
            if (t != as_inside) c.network.between_bytes_per_second = parse_bandwidth(t, w);
          },
          [](const C& c) {
            return c.network.between_bytes_per_second
                       ? bandwidth_text(*c.network.between_bytes_per_second)
                       : std::string(as_inside);
          }};
}

Option links_option() {
  return {"network",
          "links",
          "FILE",
          "links that differ, a line each: from,to,latency,bandwidth",
          [](C& c, Text t, Text w) { c.network.links = read_link_table(t, w); },
          [](const C& c) { return c.network.links.file.string(); }};
}

Option charge_control_option() {
  return {"network",
          "charge-control",
          "",
          "messages without bytes and barriers cost latency too",
          [](C& c, Text t, Text w) { c.network.charge_control = parse_switch(t, w); },
          [](const C& c) { return c.network.charge_control ? "true" : "false"; },
          true};
}

Option latency_option() {
  return {"network",
          "latency",
          "DURATION",
          "time that every message takes besides its transfer, like 1ms",
          [](C& c, Text t, Text w) { c.network.latency = parse_duration(t, w); },
          [](const C& c) { return exact_text(c.network.latency); }};
}

Option bandwidth_option() {
  return {"network",
          "bandwidth",
          "RATE",
          "of every port, like 1Gbps or 100MB/s; infinite",
          [](C& c, Text t, Text w) { c.network.bytes_per_second = parse_bandwidth(t, w); },
          [](const C& c) { return bandwidth_text(c.network.bytes_per_second); }};
}

/// Of the ports of workers' machines.
Option port_option(std::string name, std::string help,
                   std::optional<double> Network::*bytes_per_second) {
  return {"network",
          std::move(name),
          "RATE",
          std::move(help),
          [=](C& c, Text t, Text w) {
            (c.network.*bytes_per_second).reset();
            if (t != as_bandwidth) c.network.*bytes_per_second = parse_bandwidth(t, w);
          },
          [=](const C& c) {
            const std::optional<double>& given = c.network.*bytes_per_second;
            return given ? bandwidth_text(*given) : std::string(as_bandwidth);
          }};
}

Option up_bandwidth_option() {
  return port_option("up-bandwidth",
                     "of the ports by which workers' machines send; same: as --bandwidth",
                     &Network::up_bytes_per_second);
}

Option down_bandwidth_option() {
  return port_option("down-bandwidth",
                     "of the ports by which workers' machines receive; same: as --bandwidth",
                     &Network::down_bytes_per_second);
}

std::string window_text(std::uint64_t bytes) {
  if (bytes == 0) return "none";
  std::string unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB"}) {
    if (bytes % 1024 != 0) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{}{}", bytes, unit);
}

Option tcp_window_option() {
  return {
      "network",
      "tcp-window",
      "none|SIZE",
      "bytes of a connection under way at most: no link carries more in a round trip, like 64KiB",
      [](C& c, Text t, Text w) {
        c.network.tcp_window = t == "none" ? 0 : parse_bytes(t, w);
        if (t != "none" && c.network.tcp_window == 0) {
          throw UsageError(
              fmt::format("{}: {} lets nothing through; above 0, or none", w, echoed(t)));
        }
      },
      [](const C& c) { return window_text(c.network.tcp_window); }};
}

Option ports_option() {
  return {"network",
          "ports",
          "circuit|cutthrough",
          "how long a message holds its ports",
          [](C& c, Text t, Text w) { c.network.ports = parse_port_mode(t, w); },
          [](const C& c) { return port_mode_text(c.network.ports); }};
}

Option jitter_option() {
  return {"network",
          "jitter",
          "none|KIND:SCALE",
          "added to the latency of each message; KIND: uniform, exponential, lognormal",
          [](C& c, Text t, Text w) { c.network.jitter = parse_jitter(t, w); },
          [](const C& c) { return jitter_text(c.network.jitter); }};
}

Option fault_option() {
  Option option{
      "network",
      "fault",
      "none|FAULT[+FAULT…]",
      "what goes wrong, also given several times: loss:P, loss:gilbert:p,r,h,k, "
      "slow-link:RANK[,RANK]:FACTOR, partition:RANKS|RANKS, stall:RANK, crash:RANK, each with "
      "@FROM-TO, crash:worker-mtbf=DURATION,repair=DURATION, and trace:FILE",
      [](C& c, Text t, Text w) { parse_faults(t, w, c.network.faults); },
      [](const C& c) { return faults_text(c.network.faults); }};
  option.joiner = '+';  // of "+" GCC 12 says falsely that it overlaps
  return option;
}

Option on_failure_option() {
  return {"network",
          "on-failure",
          "wait|stop|restart|shrink",
          "when a rank crashes: it comes back with its memory; the run ends; all go back to the "
          "last checkpoint; or the others go on without it",
          [](C& c, Text t, Text w) { c.network.faults.on_failure = parse_on_failure(t, w); },
          [](const C& c) { return on_failure_text(c.network.faults.on_failure); }};
}

Option detection_option() {
  return {"network",
          "detection",
          "DURATION",
          "with --on-failure shrink: from a crash until the others know and go on",
          [](C& c, Text t, Text w) { c.network.faults.detection = parse_duration(t, w); },
          [](const C& c) { return exact_text(c.network.faults.detection); }};
}

Option retransmit_option() {
  return {
      "network",
      "retransmit",
      "DURATION[:double]|never",
      "after so long a lost message is sent again; double: and twice as long each time; never: it "
      "is gone for good, for schemes that take datagrams",
      [](C& c, Text t, Text w) { c.network.faults.retransmission = parse_retransmission(t, w); },
      [](const C& c) { return retransmission_text(c.network.faults.retransmission); }};
}

Option server_placement_option() {
  return {"network",
          "server-placement",
          "dedicated|colocated",
          "where servers run: on machines of their own, or on the workers' and on their ports",
          [](C& c, Text t, Text w) { c.network.server_placement = parse_server_placement(t, w); },
          [](const C& c) { return server_placement_text(c.network.server_placement); }};
}

Option sparse_wire_option() {
  static const std::array<std::string, 2> names{"auto", "off"};
  return {
      "network",
      "sparse-wire",
      "auto|off",
      "of linear models on sparse data, servers' messages: by keys where that is shorter; whole",
      [](C& c, Text t, Text w) { c.sparse_wire = static_cast<SparseWire>(chosen(t, w, names)); },
      [](const C& c) { return names[static_cast<std::size_t>(c.sparse_wire)]; }};
}

/// The built-in schemes on shared memory send nothing that has bytes. One of one's own may.
bool sends_no_bytes(const OptionSetting& s) {
  return cast_of(s.scheme, s.configuration).model == ModelHome::shared &&
         std::ranges::count(own_schemes(), s.scheme.name, &Scheme::name) == 0;
}

/// hogwild++ with two clusters or more: a message without bytes goes round.
bool passes_token(const OptionSetting& s) {
  const bool has_token =
      std::ranges::count(s.scheme.hyperparameters, "token-updates", &HyperparameterInfo::name) > 0;
  return has_token && cast_of(s.scheme, s.configuration).shared_models > 1;
}

std::string charge_control_idle(const OptionSetting& s) {
  if (cast_of(s.scheme, s.configuration).ranks() == 1)
    return "there is one rank, which sends nothing";
  if (!sends_no_bytes(s) || passes_token(s)) return "";
  return fmt::format("{} sends nothing; its workers share memory", s.scheme.name);
}

}  // namespace

std::string nothing_is_sent(const OptionSetting& s) {
  std::string reason = charge_control_idle(s);
  if (!reason.empty() || !sends_no_bytes(s) || s.configuration.network.charge_control) {
    return reason;
  }
  return fmt::format("{} sends a token without bytes, which takes time with --charge-control only",
                     s.scheme.name);
}

namespace {

std::string no_bytes_are_sent(const OptionSetting& s) {
  std::string reason = nothing_is_sent(s);
  if (!reason.empty() || !sends_no_bytes(s)) return reason;
  return fmt::format("{} sends a token without bytes", s.scheme.name);
}

/// A window that no link fills is wide enough.
std::string tcp_window_idle(const OptionSetting& s) {
  std::string reason = no_bytes_are_sent(s);
  if (!reason.empty()) return reason;
  const Network& network = s.configuration.network;
  const auto is_narrower = [&](const Link& link) { return network.within_window(link) != link; };
  const double port =
      std::max({network.bytes_per_second, network.worker_up(), network.worker_down()});
  const Link between{network.between_latency.value_or(network.latency),
                     network.between_bytes_per_second.value_or(port)};
  const bool binds =
      is_narrower({network.latency, port}) || (network.racks > 1 && is_narrower(between)) ||
      std::ranges::any_of(network.links.named,
                          [&](const NamedLink& named) { return is_narrower(named.link); });
  return binds ? "" : "no link holds as much in a round trip, 2 × --latency";
}

std::string ports_idle(const OptionSetting& s) {
  const Network& network = s.configuration.network;
  const bool has_latency = network.latency.count() > 0 || network.jitter.any() ||
                           network.between_latency.value_or(Duration{0}).count() > 0 ||
                           !network.links.empty();
  std::string reason = nothing_is_sent(s);
  if (!reason.empty() || has_latency) return reason;
  return "without --latency a message holds its ports equally long either way";
}

std::string server_placement_idle(const OptionSetting& s) {
  if (cast_of(s.scheme, s.configuration).servers > 0) return "";
  return fmt::format("{} has no servers", s.scheme.name);
}

std::string sparse_wire_idle(const OptionSetting& s) {
  const Configuration& c = s.configuration;
  if (s.scheme.messages.by_keys == ByKeys::no)
    return fmt::format("{} sends nothing by keys", s.scheme.name);
  if (c.data_source == DataSource::server) return "rows that are fetched are not known beforehand";
  if (c.l1 != 0.0 && s.scheme.family == SchemeFamily::local_updates) {
    return fmt::format("{} sends nothing by keys with --l1", s.scheme.name);
  }
  if (c.l2 != 0.0 && c.optimizer.clip_norm != 0.0) {
    return fmt::format("{} sends nothing by keys with --l2 and --clip-norm", s.scheme.name);
  }
  for (const char* whole : {"significance", "proxies"}) {
    const auto found = c.hyperparameters.find(whole);
    if (found == c.hyperparameters.end() || found->second == 0.0) continue;
    return fmt::format("{} sends nothing by keys with --{}", s.scheme.name, whole);
  }
  if (s.scheme.messages.by_keys == ByKeys::yes || c.l2 == 0.0) return "";
  return fmt::format("{} sends nothing by keys with --l2", s.scheme.name);
}

std::string racks_idle(const OptionSetting& s) {
  const Network& network = s.configuration.network;
  if (network.between_latency) return nothing_is_sent(s);
  if (network.between_bytes_per_second) return no_bytes_are_sent(s);
  return "the links between racks are the same as in a rack; --between-latency and "
         "--between-bandwidth make them differ";
}

std::string between_latency_idle(const OptionSetting& s) {
  return s.configuration.network.racks == 1 ? "there is one rack" : nothing_is_sent(s);
}

/// Workers that stand still do so whatever they send.
std::string fault_idle(const OptionSetting& s) {
  const Faults& faults = s.configuration.network.faults;
  return faults.stalls.empty() && !faults.crash() ? nothing_is_sent(s) : "";
}

std::string on_failure_idle(const OptionSetting& s) {
  return s.configuration.network.faults.crash() ? "" : "nothing crashes (--fault)";
}

std::string detection_idle(const OptionSetting& s) {
  std::string idle = on_failure_idle(s);
  if (!idle.empty()) return idle;
  const bool shrinks = s.configuration.network.faults.on_failure == OnFailure::shrink;
  return shrinks ? "" : "nobody goes on without a rank that crashed (--on-failure shrink)";
}

std::string retransmit_idle(const OptionSetting& s) {
  if (!s.configuration.network.faults.loses()) return "--fault loses no message";
  return nothing_is_sent(s);
}

std::string between_bandwidth_idle(const OptionSetting& s) {
  return s.configuration.network.racks == 1 ? "there is one rack" : no_bytes_are_sent(s);
}

}  // namespace

std::vector<Option> network_options() {
  constexpr unsigned of_links = taker::predict | taker::timeline;
  constexpr unsigned of_all = of_links | taker::lab;
  constexpr unsigned of_ports = of_all | taker::netcheck;
  constexpr unsigned of_faults = taker::timeline | taker::lab;
  return {
      also(of_ports, idle_where(latency_option(), nothing_is_sent)),
      also(of_ports, idle_where(bandwidth_option(), no_bytes_are_sent)),
      also(of_links, idle_where(up_bandwidth_option(), no_bytes_are_sent)),
      also(of_links, idle_where(down_bandwidth_option(), no_bytes_are_sent)),
      also(of_ports, idle_where(tcp_window_option(), tcp_window_idle)),
      also(of_ports, idle_where(ports_option(), ports_idle)),
      also(of_all, idle_where(server_placement_option(), server_placement_idle)),
      also(taker::predict | taker::lab, idle_where(sparse_wire_option(), sparse_wire_idle)),
      also(of_all, idle_where(racks_option(), racks_idle)),
      also(of_all, idle_where(between_latency_option(), between_latency_idle)),
      also(of_all, idle_where(between_bandwidth_option(), between_bandwidth_idle)),
      also(of_links, idle_where(links_option(), nothing_is_sent)),
      also(of_all, idle_where(jitter_option(), nothing_is_sent)),
      also(of_faults, idle_where(fault_option(), fault_idle)),
      also(of_faults, idle_where(retransmit_option(), retransmit_idle)),
      also(taker::lab | taker::one_process, idle_where(on_failure_option(), on_failure_idle)),
      also(taker::lab | taker::one_process, idle_where(detection_option(), detection_idle)),
      also(of_all, idle_where(charge_control_option(), charge_control_idle)),
  };
}

}  // namespace trainyard
