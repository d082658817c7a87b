#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/network_format.hpp"

namespace trainyard {

std::string netcheck_json(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const NetcheckRow& row : rows) {
    list.push_back({{"collective", row.collective},
                    {"workers", row.workers},
                    {"messages_per_rank", row.messages_per_rank},
                    {"bytes_per_rank", row.bytes_per_rank},
                    {"closed_form_s", row.closed_form_s},
                    {"measured_s", row.measured_s},
                    {"measured_p99_s", row.measured_p99_s},
                    {"ratio", row.ratio}});
  }
  const double bandwidth = options.network.bytes_per_second;
  nlohmann::ordered_json document{{"latency_s", to_seconds(options.network.latency)},
                                  {"bandwidth_bytes_per_s", nullptr},
                                  {"ports", port_mode_text(options.network.ports)},
                                  {"time", time_mode_text(options.time)},
                                  {"servers", options.servers},
                                  {"bytes", options.length * sizeof(float)},
                                  {"repetitions", nullptr},
                                  {"rows", list}};
  if (std::isfinite(bandwidth)) document["bandwidth_bytes_per_s"] = bandwidth;
  if (options.network.tcp_window != 0) document["tcp_window_bytes"] = options.network.tcp_window;
  if (options.time == TimeMode::wall) document["repetitions"] = options.repetitions;
  return document.dump(2) + "\n";
}

namespace {

bool with_control(const std::vector<NetcheckRow>& rows) {
  return std::ranges::any_of(rows, [](const NetcheckRow& row) {
    const Primitive* primitive = find_primitive(row.collective);
    return primitive != nullptr && primitive->control;
  });
}

std::string waited_text(int repetitions) {
  return repetitions == 1 ? "really waited for, once"
                          : fmt::format("really waited for, {} times", repetitions);
}

/// ", 2 servers or groups" where a collective has so many of either.
std::string servers_text(const std::vector<NetcheckRow>& rows, int servers) {
  const bool has_any = std::ranges::any_of(
      rows, [](const NetcheckRow& row) { return depends_on_servers(row.collective); });
  if (!has_any) return "";
  return fmt::format(", {} or {}", counted(servers, "server"), counted(servers, "group"));
}

}  // namespace

std::string netcheck_table(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options) {
  const bool wall = options.time == TimeMode::wall;
  Configuration c;
  c.network = options.network;
  const std::string window = option_named("tcp-window").get(c);
  std::string text = fmt::format(
      "{}{}, {} a vector, {} a message, {}; {}{}{}\n\n", counted(options.workers, "worker"),
      servers_text(rows, options.servers),
      human_bytes(static_cast<double>(options.length * sizeof(float))),
      exact_text(options.network.latency), bandwidth_text(options.network.bytes_per_second),
      window == "none" ? "" : "tcp-window " + window + ", ",
      options.network.ports == PortMode::cutthrough ? "cutthrough ports, " : "",
      wall ? waited_text(options.repetitions) : "simulated");
  text +=
      fmt::format("{:<19}  {:>8}  {:>10}  {:>11}  {:>11}  {:>11}  {}\n", "collective", "messages",
                  "bytes", "closed form", wall ? "median" : "emulated", wall ? "p99" : "", "ratio");
  for (const NetcheckRow& row : rows) {
    text += fmt::format("{:<19}  {:>8}  {:>10}  {:>11}  {:>11}  {:>11}  {:.6f}\n", row.collective,
                        row.messages_per_rank, human_bytes(static_cast<double>(row.bytes_per_rank)),
                        human_duration(row.closed_form_s), human_duration(row.measured_s),
                        wall ? human_duration(row.measured_p99_s) : "", row.ratio);
  }
  return text +
         "\nmessages, bytes: sent by the worker that sends most; closed form: list collectives;\n"
         "ratio: emulated time to closed form\n" +
         (with_control(rows)
              ? "barrier: with control traffic charged, as --charge-control does it; "
                "what carries no bytes is not\ncounted\n"
              : "");
}

}  // namespace trainyard
