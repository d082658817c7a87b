// The configuration as TOML, in and out.
#include <algorithm>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "trainyard/base/error.hpp"
#include "trainyard/experiment/options.hpp"

namespace trainyard {

namespace {

/// A value as it would be typed on the command line.
std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw UsageError(
      where + ": found a list, table or date; expected text in quotes, a number, true or false");
}

/// A TOML basic string.
std::string quoted(const std::string& text) {
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

std::string place(const std::filesystem::path& file, const toml::node& node) {
  return fmt::format("{}:{}", file.string(), node.source().begin.line);
}

[[noreturn]] void refuse_name(const std::string& where, std::string_view kind,
                              std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  const std::string guess = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  throw UsageError(
      fmt::format("{}: no {} named '{}'{} (known: {})", where, kind, word, guess, joined(known)));
}

void read_section(const std::filesystem::path& file, const std::string& section,
                  const toml::table& table, Configuration& configuration) {
  for (const auto& [key, node] : table) {
    const std::string where = fmt::format("{}: {}", place(file, node), std::string(key.str()));
    const Option* option = find_option(section, key.str());
    if (option == nullptr) {
      refuse_name(place(file, node), fmt::format("key of section [{}]", section), key.str(),
                  keys_of(section));
    }
    option->set(configuration, value_text(node, where), where);
  }
}

}  // namespace

void read_configuration(const std::filesystem::path& file, Configuration& configuration) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw UsageError(fmt::format("{}: found a directory; expected a TOML file", file.string()));
  }
  if (!std::filesystem::exists(file, error)) {
    throw UsageError(
        fmt::format("{}: no such file; expected a TOML file with a configuration", file.string()));
  }
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw UsageError(line == 0
                         ? fmt::format("{}: {}", file.string(), error.description())
                         : fmt::format("{}:{}: {}", file.string(), line, error.description()));
  }
  const std::vector<std::string> sections = section_names();
  for (const auto& [key, node] : root) {
    const std::string section(key.str());
    if (std::ranges::find(sections, section) == sections.end()) {
      refuse_name(place(file, node), "section", section, sections);
    }
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      throw UsageError(fmt::format("{}: '{}' is given a value; expected it as a section: [{}]",
                                   place(file, node), section, section));
    }
    read_section(file, section, *table, configuration);
  }
}

std::string configuration_text(const Configuration& configuration) {
  std::string text;
  std::string section;
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run) continue;
    if (option.section != section) {
      section = option.section;
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    if (option.bare) {
      text += fmt::format("{} = {}\n", option.name, value);
    } else {
      text += fmt::format("{} = {}\n", option.name, quoted(value));
    }
  }
  return text;
}

}  // namespace trainyard
