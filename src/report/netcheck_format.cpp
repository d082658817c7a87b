#include "trainyard/report/netcheck_format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {

std::string netcheck_json(const std::vector<NetcheckRow>& rows) {
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
  return nlohmann::ordered_json{{"rows", list}}.dump(2) + "\n";
}

std::string netcheck_table(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options) {
  const bool wall = options.time == TimeMode::wall;
  std::string text = fmt::format(
      "{} workers, {} a vector, {} a message, {}; {}{}\n\n{:<19}  {:>8}  {:>10}  {:>11}  {:>11}  "
      "{:>11}  {}\n",
      options.workers, human_bytes(static_cast<double>(options.length * sizeof(float))),
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
         "ratio: emulated time to closed form\n";
}

}  // namespace trainyard
