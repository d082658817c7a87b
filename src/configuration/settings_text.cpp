#include "trainyard/configuration/settings_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trainyard {

std::vector<OptionText> unusual_settings(const Configuration& c, const Configuration& usual,
                                         unsigned takers, std::span<const std::string_view> told) {
  std::vector<OptionText> settings;
  for (const Option* option : options_taken_by(takers)) {
    if (std::ranges::find(told, option->name) != told.end()) continue;
    std::string text = option->get(c);
    if (text != option->get(usual)) settings.push_back({option->name, std::move(text)});
  }
  return settings;
}

std::vector<OptionText> unusual_settings(const Network& network) {
  constexpr std::array<std::string_view, 2> told{"latency", "bandwidth"};
  Configuration c;
  c.network = network;
  return unusual_settings(c, {}, taker::timeline, told);
}

std::string clauses(std::span<const OptionText> settings) {
  std::string text;
  for (const auto& [option, value] : settings) {
    const bool is_switch = option_named(option).argument.empty();
    text += is_switch ? fmt::format(", {}{}", value == "true" ? "" : "no ", option)
                      : fmt::format(", {} {}", option, value);
  }
  return text;
}

std::string crash_clauses(const Configuration& c) {
  std::vector<OptionText> settings;
  const auto add = [&](const char* name) { settings.push_back({name, option_named(name).get(c)}); };
  if (c.network.faults.crash()) add("on-failure");
  if (c.network.faults.crash() && c.network.faults.on_failure == OnFailure::shrink)
    add("detection");
  if (c.checkpoint_every) add("checkpoint-every");
  if (c.checkpoint_every && c.checkpoint_time) add("checkpoint-time");
  return clauses(settings);
}

}  // namespace trainyard
