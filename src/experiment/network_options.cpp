#include "experiment/network_options.hpp"

#include <array>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

constexpr std::string_view as_inside = "inside";

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
          [](C& c, Text t, Text w) {
            c.network.links = t.empty() ? LinkTable{} : read_link_table(t, w);
          },
          [](const C& c) { return c.network.links.file.string(); }};
}

Option charge_control_option() {
  return {"network",
          "charge-control",
          "",
          "messages without bytes and barriers cost latency too",
          [](C& c, Text t, Text w) {
            static const std::array<std::string, 2> names{"false", "true"};
            c.network.charge_control = chosen(t, w, names) == 1;
          },
          [](const C& c) { return c.network.charge_control ? "true" : "false"; },
          true};
}

}  // namespace

std::vector<Option> network_options() {
  return {
      {"network", "latency", "DURATION",
       "time that every message takes besides its transfer, like 1ms",
       [](C& c, Text t, Text w) { c.network.latency = parse_duration(t, w); },
       [](const C& c) { return exact_text(c.network.latency); }},
      {"network", "bandwidth", "RATE", "of every port, like 1Gbps or 100MB/s; infinite",
       [](C& c, Text t, Text w) { c.network.bytes_per_second = parse_bandwidth(t, w); },
       [](const C& c) { return bandwidth_text(c.network.bytes_per_second); }},
      {"network", "ports", "circuit|cutthrough", "how long a message holds its ports",
       [](C& c, Text t, Text w) { c.network.ports = parse_port_mode(t, w); },
       [](const C& c) { return port_mode_text(c.network.ports); }},
      racks_option(),
      between_latency_option(),
      between_bandwidth_option(),
      links_option(),
      {"network", "jitter", "none|KIND:SCALE",
       "added to the latency of each message; KIND: uniform, exponential, lognormal",
       [](C& c, Text t, Text w) { c.network.jitter = parse_jitter(t, w); },
       [](const C& c) { return jitter_text(c.network.jitter); }},
      charge_control_option(),
  };
}

}  // namespace trainyard
