// Which options a question of the lab may set.
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/topology/topology.hpp"

#include "web/lab_limits.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

bool is_a_file(std::string_view topology) {
  const std::string_view name = topology.substr(0, topology.find(':'));
  return std::ranges::any_of(topologies(), [&](const TopologyInfo& info) {
    return info.name == name && info.takes_file();
  });
}

/// Only generated ones, and no larger than by themselves.
void check_dataset(const std::string& text) {
  const std::optional<GeneratorChoice> made = find_generator(text);
  if (!made || !made->generator->in_lab) {
    std::vector<std::string> known;
    for (const GeneratorInfo& generator : generators()) {
      if (generator.in_lab) known.push_back(generator.name);
    }
    throw OptionError("dataset", fmt::format("{} is none of the lab's sets {}; a file of your own "
                                             "is uploaded",
                                             echoed(text), joined(known)));
  }
  if (made->rows > made->generator->rows) {
    throw OptionError(
        "dataset", fmt::format("{} are more rows than the {} that the lab makes of {}", made->rows,
                               made->generator->rows, made->generator->name));
  }
}

[[noreturn]] void refuse_option(const std::string& name) {
  std::vector<std::string> names;
  bool known = false;
  for (const Option& option : options()) {
    known = known || option.name == name;
    if (option.taken_by(taker::lab)) names.push_back(option.name);
  }
  if (known) {
    throw OptionError(name,
                      "the lab does not take it; the command line does ('trainyard compare')");
  }
  const std::string nearest = nearest_name(name, names);
  throw UsageError(
      fmt::format("no option named {}{}", echoed(name),
                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

void check_lab_option(const OptionText& setting) {
  const auto& [name, text] = setting;
  const auto option = std::ranges::find(options(), name, &Option::name);
  if (option == options().end() || !option->taken_by(taker::lab)) refuse_option(name);
  if (text.size() > most_option_text) {
    throw OptionError(name, fmt::format("a value of {} bytes; the lab takes up to {}", text.size(),
                                        most_option_text));
  }
  if (text.empty() && !option->argument.empty()) refuse_empty("--" + name, option->argument);
  if (name == "topology" && is_a_file(text)) {
    throw OptionError(name, text, "the lab reads no files; the command line does");
  }
  if (name == "fault" && text.find("trace:") != std::string::npos) {
    throw OptionError(name, text, "the lab reads no files; the command line does");
  }
  if (name == "dataset") check_dataset(text);
  if (name == "test" && text != "every-fifth") {
    throw OptionError(name, fmt::format("{}: the lab takes every-fifth", echoed(text)));
  }
  // The machine's clock would be in the result, and a measurement is seconds for everybody.
  if ((name == "compute-time" || name == "line-time") && text == "auto") {
    throw OptionError(name, "auto: the lab measures nothing; a duration like 1ms is accepted");
  }
}

}  // namespace trainyard
