#include "web/free_start.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

namespace {

/// Whether its label, typed as a contestant, is the contestant: "gossip:torus", "ssp{lr=1}".
bool is_typed_as_labelled(const Contestant& contestant) {
  const auto what = [](Contestant c) {
    std::ranges::sort(c.settings, {}, &OptionText::option);  // a table's are in another order
    return std::tuple(c.scheme, c.preset, c.settings);
  };
  try {
    const std::vector<Contestant> typed = parse_contestants(contestant.label);
    return typed.size() == 1 && what(typed.front()) == what(contestant);
  } catch (const UsageError&) {
    return false;  // "long periods"
  }
}

std::string typed(const Contestant& contestant) {
  if (is_typed_as_labelled(contestant)) return contestant.label;
  const std::string& name = contestant.preset.empty() ? contestant.scheme : contestant.preset;
  std::vector<std::string> settings;
  for (const auto& [option, text] : contestant.settings) {
    settings.push_back(fmt::format("{}={}", option, text));
  }
  return settings.empty() ? name : fmt::format("{}{{{}}}", name, fmt::join(settings, ","));
}

}  // namespace

nlohmann::ordered_json free_start(const Lab& lab) {
  Configuration c = default_configuration();
  std::vector<ContestantTable> tables;
  parse_configuration(lab.text, "lab:" + lab.name, c, &tables);
  std::vector<std::string> contestants;
  for (const Contestant& contestant : contestants_of(tables)) {
    contestants.push_back(typed(contestant));
  }
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const Option* option : options_taken_by(taker::lab)) {
    if (std::ranges::count(c.given, option->name) == 0) continue;
    const std::string text = option->get(c);
    const bool is_switch = option->argument.empty();
    if (is_switch && text != "true") continue;
    options[option->name] = is_switch ? "" : text;
  }
  return {{"schemes", fmt::format("{}", fmt::join(contestants, ","))}, {"options", options}};
}

}  // namespace trainyard
