// The configuration as TOML, in and out.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/page_part.hpp"
#include "configuration/toml_nodes.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_configuration_bytes = std::size_t{1024} * 1024;

/// Names of files are bytes, and TOML is UTF-8.
std::string spelt_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '%' && c != '"' && c != '\\';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

/// A TOML basic string, or the table of one where it cannot be one.
std::string toml_text(const std::string& text) {
  if (!is_utf8(text)) return fmt::format("{{ bytes = \"{}\" }}", spelt_bytes(text));
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Whether an option that is a number otherwise has a word for its value, or a number with a unit.
bool is_word(const std::string& value) {
  constexpr std::string_view digits = "0123456789";
  const bool has_unit = digits.find(value.front()) != std::string_view::npos &&
                        digits.find(value.back()) == std::string_view::npos;
  return value == "workers" || has_unit;
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const Option& option : options()) {
    if (std::ranges::find(names, option.section) == names.end()) names.push_back(option.section);
  }
  return names;
}

std::vector<std::string> keys_of(const std::string& section) {
  std::vector<std::string> names;
  for (const Option& option : options()) {
    if (option.section == section) names.push_back(option.name);
  }
  return names;
}

const Option* find_option(const std::string& section, std::string_view key) {
  for (const Option& option : options()) {
    if (option.section == section && option.name == key) return &option;
  }
  return nullptr;
}

/// Whether it has the value that the program writes for every option, and nobody asked for.
bool is_default(const Option& option, const Configuration& c) {
  const std::string text = option.get(c);
  if (text == option.get({})) return true;
  for (const Scheme& scheme : schemes()) {
    if (takes(scheme, option.name) && text == ingredient_name(scheme, {}, option.name)) return true;
    if (std::ranges::count(scheme.hyperparameters, option.name, &HyperparameterInfo::name) == 0) {
      continue;
    }
    Configuration without = c;
    without.hyperparameters.erase(option.name);
    try {
      without.hyperparameters = with_fallbacks(scheme, without.hyperparameters, c.workers);
    } catch (const UsageError&) {
      continue;  // too many of so many workers, which the run refuses
    }
    if (text == option.get(without)) return true;
  }
  return false;
}

/// A list, too, where the option takes one.
std::string text_of(const Option& option, const toml::node& node, const std::string& what) {
  const toml::array* list = option.joiner.empty() ? nullptr : node.as_array();
  if (list == nullptr) return value_text(node, what);
  std::string text;
  for (const toml::node& each : *list) {
    text += (text.empty() ? "" : option.joiner) + value_text(each, what);
  }
  return text;
}

class ConfigurationReader {
 public:
  ConfigurationReader(const std::string& name, Configuration& configuration,
                      std::vector<ContestantTable>* contestants)
      : name_(name), configuration_(configuration), contestants_(contestants) {}

  void read(std::string_view text) {
    const toml::table root = parsed_toml(text, name_);
    std::vector<std::string> sections = section_names();
    for (const std::string_view other : {contestant_key, page_key}) sections.emplace_back(other);
    for (const auto& [key, node] : root) {
      const std::string section(key.str());
      if (section == contestant_key) {
        read_contestants(node);
        continue;
      }
      if (section == page_key) {
        (void)read_page(node, name_);  // says what is wrong with it
        continue;
      }
      if (std::ranges::find(sections, section) == sections.end()) {
        refuse_name(place(name_, node), "section", section, sections);
      }
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        throw UsageError(fmt::format("{}: '{}' is given a value; expected it as a section: [{}]",
                                     place(name_, node), section, section));
      }
      read_section(section, *table);
    }
    for (const Option* option : named_) {
      // A step size that is said is one for all, also where it is the default.
      if (option->name == "lr" || !is_default(*option, configuration_)) {
        configuration_.given.push_back(option->name);
      }
    }
  }

 private:
  void read_section(const std::string& section, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const Option* option = find_option(section, key.str());
      if (option == nullptr) {
        refuse_name(place(name_, node), fmt::format("key of section [{}]", section), key.str(),
                    keys_of(section));
      }
      const std::string what = fmt::format("{}: {}", place(name_, node), option->name);
      const std::string text = text_of(*option, node, what);
      if (text.empty()) refuse_empty(what, option->argument);
      option->set(configuration_, text, what);
      named_.push_back(option);
    }
  }

  /// Its options are checked by who knows which of them a contestant may have.
  void read_contestants(const toml::node& node) {
    const toml::array* tables = node.as_array();
    if (contestants_ == nullptr || tables == nullptr || !tables->is_array_of_tables()) {
      throw UsageError(fmt::format(
          "{}: {}", place(name_, node),
          contestants_ == nullptr
              ? "[[contestant]] is for `trainyard compare`; --scheme NAME runs one in their place"
              : "'contestant' is no list of tables; expected [[contestant]]"));
    }
    for (const toml::node& each : *tables) {
      ContestantTable made{.place = place(name_, each), .label = {}, .scheme = {}, .settings = {}};
      for (const auto& [key, value] : *each.as_table()) {
        const std::string option(key.str());
        const std::string what = fmt::format("{}: {}", place(name_, value), option);
        const std::string text = value_text(value, what);
        if (text.empty()) refuse_empty(what, "a value");
        if (option == "label") {
          made.label = text;
        } else if (option == "scheme") {
          made.scheme = text;
        } else {
          made.settings.push_back({option, text});
        }
      }
      if (made.scheme.empty()) {
        throw UsageError(
            fmt::format("{}: a [[contestant]] without its scheme = \"NAME\"", made.place));
      }
      contestants_->push_back(std::move(made));
    }
  }

  static constexpr std::string_view contestant_key = "contestant";

  const std::string& name_;
  Configuration& configuration_;
  std::vector<ContestantTable>* contestants_;
  std::vector<const Option*> named_;
};

}  // namespace

void read_configuration(const std::filesystem::path& file, Configuration& configuration,
                        std::vector<ContestantTable>* contestants) {
  const std::string name = file.string();
  if (const auto lab = lab_text(name)) {
    parse_configuration(*lab, name, configuration, contestants);
    return;
  }
  parse_configuration(
      read_text_file(file, name, "a TOML file with a configuration", most_configuration_bytes),
      name, configuration, contestants);
}

void parse_configuration(std::string_view text, const std::string& name,
                         Configuration& configuration, std::vector<ContestantTable>* contestants) {
  ConfigurationReader(name, configuration, contestants).read(text);
}

std::string configuration_text(const Configuration& configuration) {
  std::string text;
  std::string section;
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run) continue;
    if (option.name == "collective" && has_usual_collective(configuration)) continue;
    if (option.section != section) {
      section = option.section;
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    if (option.bare && !is_word(value)) {
      text += fmt::format("{} = {}\n", option.name, value);
    } else {
      text += fmt::format("{} = {}\n", option.name, toml_text(value));
    }
  }
  return text;
}

}  // namespace trainyard
