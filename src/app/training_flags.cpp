#include "app/training_flags.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/data/data_file.hpp"

#include "app/habits.hpp"

namespace trainyard::app {

namespace {

/// The help of an option, with what it is when nobody says otherwise.
std::string help_of(const Option& option, const Configuration& defaults) {
  const std::string value = option.get(defaults);
  const bool is_switch = option.argument.empty();
  return value.empty() || is_switch ? option.help : fmt::format("{} [{}]", option.help, value);
}

}  // namespace

void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) known.push_back("--" + option->get_lnames().front());
  }
  const CLI::App* const program = command.get_parent();
  const std::string name = program == nullptr
                               ? command.get_name()
                               : fmt::format("{} {}", program->get_name(), command.get_name());
  for (const std::string& word : extras) {
    if (!word.starts_with("-")) continue;
    const std::string flag = word.substr(0, word.find('='));
    const std::string nearest = flag_meant(flag, known);
    throw UsageError(
        fmt::format("no flag named {}{} ('{} --help' lists them)", echoed(flag),
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest), name));
  }
  throw UsageError(fmt::format("{} is one word too many ('{} --help' says what it takes)",
                               echoed(extras.front()), name));
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

CLI::Option* add_value_flag(CLI::App& command, const std::string& name, const std::string& argument,
                            const std::string& help) {
  return command
      .add_option(
          "--" + name, [](const CLI::results_t&) { return true; }, help)
      ->type_name(argument)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // only_value() complains better
}

CLI::Option* add_switch(CLI::App& command, const std::string& name, const std::string& help) {
  return command.add_flag("--" + name, help);
}

std::string switch_value(const CLI::Option& flag) {
  return flag.results().empty() ? "true" : flag.results().back();
}

bool is_given(const CLI::Option& flag) {
  if (switch_value(flag) != "true") {
    throw UsageError(fmt::format("{}: takes no value", flag.get_name()));
  }
  return flag.count() > 0;
}

std::vector<std::string> values_of(const CLI::Option& flag) {
  const std::string name = flag.get_name();
  for (const std::string& value : flag.results()) {
    if (value.starts_with("--")) {
      throw UsageError(fmt::format("{}: found the flag {} where its value {} should be", name,
                                   echoed(value), flag.get_type_name()));
    }
    if (value.empty()) refuse_empty(name, flag.get_type_name());
  }
  return flag.results();
}

std::string only_value(const CLI::Option& flag) {
  const std::vector<std::string> given = values_of(flag);
  if (given.empty()) return "";
  if (given.size() > 1) {
    throw UsageError(fmt::format("{}: given twice, {} and {}; one value is accepted",
                                 flag.get_name(), echoed(given[0]), echoed(given[1])));
  }
  return given.front();
}

std::string option_text(const Option& option, const CLI::Option& flag) {
  if (option.argument.empty()) return switch_value(flag);
  if (option.joiner.empty()) return only_value(flag);
  std::string text;
  for (const std::string& value : values_of(flag)) {
    text += (text.empty() ? "" : option.joiner) + value;
  }
  return text;
}

std::string only_word(const CLI::Option& argument) {
  if (argument.count() == 0) return "";
  const std::string& word = argument.results().front();
  if (word.empty()) refuse_empty(argument.get_name(), "a word");
  return word;
}

TrainingFlags::TrainingFlags(CLI::App& command, const Configuration& defaults, bool one_scheme)
    : defaults_(defaults) {
  file_ = command
              .add_option(
                  "CONFIG",
                  "TOML file with sections [run], [data], …, or lab:NAME (list labs), where flags "
                  "win; or a data file, as --dataset takes it")
              ->type_name("FILE");
  for (const Option& option : options()) {
    if (option.name == "scheme" && !one_scheme) continue;
    const std::string help = help_of(option, defaults);
    CLI::Option* flag = option.argument.empty()
                            ? add_switch(command, option.name, help)
                            : add_value_flag(command, option.name, option.argument, help);
    flag->group("[" + option.section + "]");
    flags_.push_back({&option, flag});
  }
  json_ = add_switch(command, "json", "short for --format json")->group("[output]");
}

Configuration TrainingFlags::read(const Configuration& defaults,
                                  std::vector<ContestantTable>* contestants) const {
  // First the flags' texts: in `--lr --batch 3` the mistake is at --lr, and not in a file named 3.
  std::vector<std::string> texts;
  for (const auto& [option, flag] : flags_) {
    texts.push_back(option_text(*option, *flag));
  }
  Configuration configuration = defaults;
  const std::string file = only_word(*file_);
  if (!file.empty() && is_data_file(file)) {
    configuration.dataset = file;
    configuration.given.emplace_back("dataset");
    refuse_second_set(file);
  } else if (!file.empty()) {
    refuse_rest_of_value(file);
    // A scheme that is named runs in the place of the file's contestants.
    std::vector<ContestantTable> left_out;
    const bool names_scheme = std::ranges::any_of(
        flags_, [](const Flag& f) { return f.option->name == "scheme" && f.flag->count() > 0; });
    read_configuration(file, configuration, names_scheme ? &left_out : contestants);
  }
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    const auto& [option, flag] = flags_[i];
    if (flag->count() == 0) continue;
    option->set(configuration, texts[i], "--" + option->name);
    configuration.given.push_back(option->name);
  }
  if (is_given(*json_)) take_json(configuration);
  return configuration;
}

void TrainingFlags::refuse_second_set(const std::string& file) const {
  for (const auto& [option, flag] : flags_) {
    if (option->name != "dataset" || flag->count() == 0) continue;
    throw UsageError(fmt::format("{} is a data set, and --dataset {} is another; expected one",
                                 echoed(file), echoed(flag->results().front())));
  }
}

void TrainingFlags::take_json(Configuration& configuration) const {
  configuration.format = "json";
  const bool beside_flag = std::ranges::any_of(
      flags_, [](const Flag& f) { return f.option->name == "format" && f.flag->count() > 0; });
  if (beside_flag) configuration.given.emplace_back(json_flag);  // wins over a file as flags do
}

Configuration TrainingFlags::asked(std::vector<ContestantTable>* contestants) const {
  Configuration asked = read(defaults_, contestants);
  if (!is_on_built_in_set(asked)) return asked;
  if (contestants != nullptr) contestants->clear();
  return read(on_built_in_set(defaults_, asked.time), contestants);
}

}  // namespace trainyard::app
