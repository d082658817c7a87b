#include "report/prediction_setting.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/settings_text.hpp"

namespace trainyard {

namespace {

std::vector<OptionText> untold(const PredictionSetting& setting, std::string_view varied) {
  const std::array<std::string_view, 6> told{"workers", "batch",     "compute-time",
                                             "latency", "bandwidth", varied};
  return unusual_settings(setting.configuration, default_configuration(), taker::predict, told);
}

}  // namespace

std::string setting_text(const PredictionSetting& setting, std::string_view varied) {
  const Configuration& c = setting.configuration;
  std::vector<std::string> machines, network;
  const auto add = [&](std::vector<std::string>& parts, std::string_view option, std::string text) {
    if (option != varied) parts.push_back(std::move(text));
  };
  add(machines, "workers", counted(c.workers, "worker"));
  add(machines, "size",
      fmt::format("a model of {} ({})",
                  human_bytes(static_cast<double>(setting.parameters * sizeof(float))),
                  counted(setting.parameters, "float")));
  const std::string rows = varied == "batch" ? "" : fmt::format(" of {}", c.batch);
  add(machines, "compute-time", fmt::format("{} a minibatch{}", exact_text(*c.compute_time), rows));
  add(network, "latency", fmt::format("{} a message", exact_text(c.network.latency)));
  add(network, "bandwidth", bandwidth_text(c.network.bytes_per_second));
  return fmt::format("{}; {}{}\n", fmt::join(machines, ", "), fmt::join(network, ", "),
                     clauses(untold(setting, varied)));
}

nlohmann::ordered_json other_settings(const PredictionSetting& setting, std::string_view varied) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [option, text] : untold(setting, varied)) object[option] = text;
  return object;
}

nlohmann::ordered_json bandwidth_value(const Network& network) {
  if (std::isfinite(network.bytes_per_second)) return network.bytes_per_second;
  return nullptr;
}

std::string bits_per_second(double bytes_per_second) {
  double bits = 8.0 * bytes_per_second;
  for (const char* unit : {"bps", "kbps", "Mbps", "Gbps"}) {
    if (bits < 1000.0) return fmt::format("{:.4g} {}", bits, unit);
    bits /= 1000.0;
  }
  return fmt::format("{:.4g} Tbps", bits);
}

}  // namespace trainyard
