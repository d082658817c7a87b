#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
                                  {"rows", list}};
  if (std::isfinite(bandwidth)) document["bandwidth_bytes_per_s"] = bandwidth;
  return document.dump(2) + "\n";
}

namespace {

bool with_control(const std::vector<NetcheckRow>& rows) {
  return std::ranges::any_of(rows, [](const NetcheckRow& row) {
    const Primitive* primitive = find_primitive(row.collective);
    return primitive != nullptr && primitive->control;
  });
}

}  // namespace

std::string netcheck_table(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options) {
  const bool wall = options.time == TimeMode::wall;
  std::string text = fmt::format(
      "{} worker{}, {} a vector, {} a message, {}; {}{}\n\n{:<19}  {:>8}  {:>10}  {:>11}  {:>11}  "
      "{:>11}  {}\n",
      options.workers, options.workers == 1 ? "" : "s",
      human_bytes(static_cast<double>(options.length * sizeof(float))),
      exact_text(options.network.latency), bandwidth_text(options.network.bytes_per_second),
      options.network.ports == PortMode::cutthrough ? "cutthrough ports, " : "",
      wall ? fmt::format("really waited for, {} times", options.repetitions) : "simulated",
      "collective", "messages", "bytes", "closed form", wall ? "median" : "emulated",
      wall ? "p99" : "", "ratio");
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
