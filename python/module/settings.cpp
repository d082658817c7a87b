#include "module/settings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trainyard/analysis/sweep.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"

namespace trainyard::python {

namespace {

// How files are found and read, which arrays are not.
constexpr std::array<std::string_view, 19> of_files{
    "dataset", "data-format",   "data-dir", "labels",        "test-labels",
    "header",  "label-column",  "columns",  "drop-columns",  "weight-column",
    "missing", "missing-words", "numeric",  "categorical",   "date",
    "hash",    "delimiter",     "decimal",  "scale-columns",
};

const Option& known_option(const std::string& name) {
  const auto found = std::ranges::find(options(), name, &Option::name);
  if (found != options().end()) return *found;
  std::vector<std::string> known;
  for (const Option& option : options()) known.push_back(option.name);
  throw_unknown("option", name, known);
}

void check_taken(const Option& option, const std::string& text, bool has_arrays) {
  if (!is_taken(option)) {
    throw OptionError(option.name,
                      "is for the program, which prints and writes its results; here "
                      "they are returned");
  }
  const bool is_of_files = std::ranges::find(of_files, option.name) != of_files.end();
  if (has_arrays && (is_of_files || option.name == "first-index")) {
    throw OptionError(option.name, text, "says how files are read, and the rows are given as data");
  }
}

Configuration configuration_over(Configuration c, const Asked& asked,
                                 std::vector<ContestantTable>* tables) {
  if (!asked.file.empty()) read_configuration(asked.file, c, tables);
  for (const auto& [name, text] : asked.settings) {
    const Option& option = known_option(name);
    check_taken(option, text, asked.has_arrays);
    option.set(c, text, "--" + name);
    c.given.push_back(name);
  }
  if (asked.has_arrays) {
    c.dataset = arrays_name;
    c.test = std::ranges::count(c.given, "test") > 0 ? c.test : "";
  }
  // A file of the program may say where that writes.
  for (auto* const path : {&c.out, &c.trace, &c.html, &c.checkpoint, &c.resume}) path->clear();
  return c;
}

std::vector<OptionText> texts_of(const Settings& settings) {
  std::vector<OptionText> texts;
  for (const auto& [name, text] : settings) texts.push_back({name, text});
  return texts;
}

Contestant contestant_of(const AskedContestant& asked) {
  for (const auto& [name, text] : asked.settings) {
    check_setting({name, text}, fmt::format("{}: --{}", asked.label, name));
  }
  std::vector<Contestant> made = parse_contestants(asked.scheme);
  if (made.size() != 1) {
    throw UsageError(fmt::format("{}: {} is a group of schemes; a label names one", asked.label,
                                 echoed(asked.scheme)));
  }
  Contestant& one = made.front();
  one.label = asked.label;
  for (OptionText& setting : texts_of(asked.settings)) one.settings.push_back(std::move(setting));
  return one;
}

}  // namespace

bool is_taken(const Option& option) {
  return option.section != "output";
}

Configuration configuration_of_any_set(const Asked& asked, std::vector<ContestantTable>* tables) {
  if (tables != nullptr) tables->clear();
  return configuration_over(default_configuration(), asked, tables);
}

Configuration configuration_of(const Asked& asked, std::vector<ContestantTable>* tables) {
  Configuration c = configuration_of_any_set(asked, tables);
  if (!is_on_built_in_set(c)) return c;
  if (tables != nullptr) tables->clear();
  return configuration_over(on_built_in_set(default_configuration(), c.time), asked, tables);
}

std::vector<Contestant> contestants_of(std::span<const AskedContestant> asked) {
  std::vector<std::string> texts;
  for (const AskedContestant& one : asked) {
    if (!one.text.empty()) texts.push_back(one.text);
  }
  if (texts.size() == asked.size())
    return parse_contestants(fmt::format("{}", fmt::join(texts, ",")));
  std::vector<Contestant> all;
  for (const AskedContestant& one : asked) {
    std::vector<Contestant> made;
    if (one.text.empty()) {
      made.push_back(contestant_of(one));
    } else {
      made = parse_contestants(one.text);
    }
    for (Contestant& contestant : made) {
      if (std::ranges::count(all, contestant.label, &Contestant::label) > 0) {
        throw OptionError("schemes", contestant.label,
                          "is there twice; a label of its own tells one from the other");
      }
      all.push_back(std::move(contestant));
    }
  }
  return all;
}

std::vector<Variation> variations_of(std::span<const AskedVariation> asked,
                                     const FindVaried& find) {
  std::vector<Variation> all;
  for (const AskedVariation& one : asked) {
    if (!one.range.empty()) {
      all.push_back(parse_variation(fmt::format("{}={}", one.option, one.range), find));
      continue;
    }
    // One by one: a value may hold what separates them in a text.
    std::vector<std::string> spelled;
    for (const std::string& value : one.values) {
      spelled.push_back(find(one.option)(value, "--vary: " + one.option));
      if (std::ranges::count(spelled, spelled.back()) == 1) continue;
      throw OptionError("vary", one.option,
                        fmt::format("{} is there twice, in whatever spelling", echoed(value)));
    }
    if (one.values.empty()) throw OptionError("vary", one.option, "has no values");
    all.push_back({.option = one.option, .values = one.values});
  }
  (void)grid_of(all);
  return all;
}

PredictionSetting prediction_setting(const Settings& settings,
                                     std::span<const std::string_view> taken) {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c = default_configuration();
  c.compute_time = default_compute_time;
  for (const auto& [name, text] : settings) {
    if (name == "size") {
      set_quantity(setting, {name, predicted_quantities()(name)(text, "--size")});
      continue;
    }
    if (std::ranges::find(taken, name) == taken.end()) {
      std::vector<std::string> known(taken.begin(), taken.end());
      known.emplace_back("size");
      throw_unknown("option of this question", name, known);
    }
    option_named(name).set(c, text, "--" + name);
    c.given.push_back(name);
  }
  if (!c.compute_time) throw OptionError("compute-time", "takes a duration here, like 3ms");
  return setting;
}

}  // namespace trainyard::python
