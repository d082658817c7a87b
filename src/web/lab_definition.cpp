#include "web/lab_definition.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// Which of the slider's values the lab's configuration has.
std::string value_of(const PageSlider& slider, const Lab& lab, const Configuration& c) {
  const Option& option = option_named(slider.option);
  for (const std::string& value : slider.values) {
    Configuration moved = c;
    option.set(moved, value, "--" + option.name);
    if (option.get(moved) == option.get(c)) return value;
  }
  throw InternalError(fmt::format("lab:{}: {} is none of its slider's values for {}", lab.name,
                                  option.get(c), option.name));
}

/// The options that say how long the runs are; a page asks for a quarter of them first.
Json lengths_of(const Configuration& c) {
  Json lengths = Json::object();
  for (const char* name : {"epochs", "steps", "seconds"}) {
    if (const std::string text = option_named(name).get(c); !text.empty()) lengths[name] = text;
  }
  return lengths;
}

Json show_of(const LabPage& page) {
  Json show{{"x", page.x}, {"y", page.y}};
  if (page.logarithmic) show["log"] = true;
  if (page.minimum) show["minimum"] = *page.minimum;
  return show;
}

Json guess_of(const PageGuess& guess) {
  Json made{{"question", guess.question}, {"figure", guess.figure}, {"most", guess.most}};
  if (const auto& drawn = guess.drawn) {
    made["drawn"] = {{"option", drawn->option},
                     {"units", drawn->units},
                     {"from", drawn->from},
                     {"to", drawn->to},
                     {"right", {drawn->right_from, drawn->right_to}},
                     {"tolerance", drawn->tolerance}};
  }
  return made;
}

LabDefinition definition_of(const Lab& lab) {
  Configuration c = default_configuration();
  std::vector<ContestantTable> contestants;
  parse_configuration(lab.text, "lab:" + lab.name, c, &contestants);
  const LabPage& page = lab.page;
  LabDefinition made{.name = lab.name,
                     .title = page.title,
                     .question = page.question,
                     .number = page.number,
                     .sliders = {},
                     .json = {}};
  Json sliders = Json::array();
  for (const PageSlider& slider : page.sliders) {
    const std::string value = value_of(slider, lab, c);
    made.sliders.push_back({.option = slider.option, .values = slider.values, .value = value});
    sliders.push_back({{"option", slider.option},
                       {"label", slider.label},
                       {"values", slider.values},
                       {"texts", slider.texts},
                       {"value", value}});
  }
  made.json = Json{{"name", lab.name},
                   {"title", page.title},
                   {"number", page.number},
                   {"question", page.question},
                   {"story", page.story},
                   {"options", lengths_of(c)},
                   {"sliders", sliders},
                   {"show", show_of(page)},
                   {"timeline", page.timeline},
                   {"watch", {{"curve", page.watch.curve}, {"slider", page.watch.slider}}},
                   {"guess", guess_of(page.guess)}}
                  .dump();
  return made;
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
    for (const Lab& lab : labs()) all.push_back(definition_of(lab));
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

std::string without_answers(const LabDefinition& lab) {
  Json json = Json::parse(lab.json);
  Json& story = json["story"];
  story.erase(story.begin() + 1, story.end());
  if (json["guess"].contains("drawn")) {
    for (const char* key : {"right", "tolerance"}) json["guess"]["drawn"].erase(key);
  }
  json["untold"] = true;
  return json.dump();
}

LabPosition first_position(const LabDefinition& lab) {
  LabPosition position;
  for (const LabSlider& slider : lab.sliders) position[slider.option] = slider.value;
  return position;
}

std::string question_at(const LabDefinition& lab, const LabPosition& position) {
  const Json definition = Json::parse(lab.json);
  Json question;
  question["lab"] = lab.name;
  question["options"] = definition.at("options");
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
