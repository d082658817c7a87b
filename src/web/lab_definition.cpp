#include "web/lab_definition.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

#include "web/web_parts.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

LabDefinition definition_of(const std::string& text) {
  const Json json = Json::parse(text);
  LabDefinition lab{.name = json.at("name"),
                    .title = json.at("title"),
                    .question = json.at("question"),
                    .sliders = {},
                    .json = text};
  for (const Json& slider : json.at("sliders")) {
    lab.sliders.push_back({.option = slider.at("option"),
                           .values = slider.at("values").get<std::vector<std::string>>(),
                           .value = slider.at("value")});
  }
  return lab;
}

std::size_t count_of(const LabDefinition& lab) {
  return std::accumulate(lab.sliders.begin(), lab.sliders.end(), std::size_t{1},
                         [](std::size_t n, const LabSlider& s) { return n * s.values.size(); });
}

/// Which values stay when every other one goes.
std::vector<std::size_t> kept_places(const LabSlider& slider) {
  std::vector<std::size_t> kept;
  const std::size_t last = slider.values.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    if (i % 2 == 0 || i == last || slider.values[i] == slider.value) kept.push_back(i);
  }
  return kept;
}

}  // namespace

const std::vector<LabDefinition>& lab_definitions() {
  static const std::vector<LabDefinition> definitions = [] {
    std::vector<LabDefinition> all;
    for (const std::string& text : lab_definition_texts()) all.push_back(definition_of(text));
    return all;
  }();
  return definitions;
}

const LabDefinition& lab_definition(std::string_view name) {
  const auto& all = lab_definitions();
  const auto found = std::ranges::find(all, name, &LabDefinition::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const LabDefinition& lab : all) names.push_back(lab.name);
  throw_unknown("lab", name, names);
}

LabPosition first_position(const LabDefinition& lab) {
  LabPosition position;
  for (const LabSlider& slider : lab.sliders) position[slider.option] = slider.value;
  return position;
}

std::string question_at(const LabDefinition& lab, const LabPosition& position) {
  const Json definition = Json::parse(lab.json);
  Json question;
  if (definition.contains("lab")) question["lab"] = definition["lab"];
  question["schemes"] = definition.at("schemes");
  question["options"] = definition.value("options", Json::object());
  for (const auto& [option, value] : position) question["options"][option] = value;
  return question.dump();
}

std::string position_key(const LabDefinition& lab, const LabPosition& position) {
  std::string key;
  for (const LabSlider& slider : lab.sliders) {
    key +=
        fmt::format("{}{}={}", key.empty() ? "" : "&", slider.option, position.at(slider.option));
  }
  return key;
}

LabDefinition thinned(const LabDefinition& lab, std::size_t most) {
  Json json = Json::parse(lab.json);
  LabDefinition thin = lab;
  while (count_of(thin) > most) {
    const auto longest = std::ranges::max_element(
        thin.sliders, {}, [](const LabSlider& slider) { return slider.values.size(); });
    const std::vector<std::size_t> kept = kept_places(*longest);
    if (kept.size() == longest->values.size()) break;
    Json& slider = json["sliders"][static_cast<std::size_t>(longest - thin.sliders.begin())];
    for (const char* key : {"values", "texts"}) {
      if (!slider.contains(key)) continue;
      Json values = Json::array();
      for (const std::size_t i : kept) values.push_back(slider[key][i]);
      slider[key] = values;
    }
    longest->values = slider["values"].get<std::vector<std::string>>();
  }
  thin.json = json.dump();
  return thin;
}

std::vector<LabPosition> positions_of(const LabDefinition& lab) {
  std::vector<LabPosition> positions{{}};
  for (const LabSlider& slider : lab.sliders) {
    std::vector<LabPosition> longer;
    for (const LabPosition& position : positions) {
      for (const std::string& value : slider.values) {
        longer.push_back(position);
        longer.back()[slider.option] = value;
      }
    }
    positions = std::move(longer);
  }
  return positions;
}

}  // namespace trainyard
