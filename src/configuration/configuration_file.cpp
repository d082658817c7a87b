// The configuration as TOML, in and out.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "base/echoed.hpp"
#include "base/text_file.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_configuration_bytes = std::size_t{1024} * 1024;

/// Counts the dots outside of strings and comments in each statement: a header, or a key and its
/// value over as many lines as its brackets span. toml::parse makes a table of every part of a
/// dotted key and reads and destroys them by recursion, so that a key of 60000 parts overflows the
/// stack. Brackets, the other way to nest, it bounds at 256 itself.
class DotCounter {
 public:
  explicit DotCounter(std::string_view text) : rest_(text) {}

  /// The line where a statement has more than most_dots; empty: none has.
  std::optional<std::size_t> line_of_too_many() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"' || c == '\'') {
        skip_string();
        continue;
      }
      if (c == '#') {
        skip(std::min(rest_.find('\n'), rest_.size()));
        continue;
      }
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
      if (c == '\n' && depth_ == 0) dots_ = 0;
      if (c == '.' && ++dots_ > most_dots) return line_;
      skip(1);
    }
    return {};
  }

  static constexpr int most_dots = 64;

 private:
  void skip(std::size_t bytes) {
    line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, bytes), '\n'));
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  /// One that does not end, ends with its line or, in three quotes, with the text: toml::parse
  /// refuses it.
  void skip_string() {
    const char quote = rest_.front();
    const std::string three(3, quote);
    const bool has_three = rest_.starts_with(three);
    skip(has_three ? 3 : 1);
    while (!rest_.empty()) {
      if (quote == '"' && rest_.front() == '\\') {
        skip(2);
      } else if (has_three && rest_.starts_with(three)) {
        skip(3);
        // Up to two quotes before the closing three are of the string.
        for (int more = 0; more < 2 && rest_.starts_with(quote); ++more) skip(1);
        return;
      } else if (!has_three && (rest_.front() == quote || rest_.front() == '\n')) {
        skip(1);
        return;
      } else {
        skip(1);
      }
    }
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  int depth_ = 0, dots_ = 0;
};

/// The bytes of a text in which %NN stands for one; empty: it is no such text.
std::optional<std::string> bytes_spelt(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (text.front() != '%') {
      bytes += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(1, 2);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() < 2 || error != std::errc() || stop != end) return std::nullopt;
    bytes += static_cast<char>(value);
    text.remove_prefix(3);
  }
  return bytes;
}

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

/// Of { bytes = "data/%FF.csv" }; empty: it is something else.
std::optional<std::string> bytes_of(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr || table->size() != 1) return std::nullopt;
  const toml::node* bytes = table->get("bytes");
  if (bytes == nullptr || !bytes->is_string()) return std::nullopt;
  return bytes_spelt(bytes->as_string()->get());
}

/// A value as it would be typed on the command line.
std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto bytes = bytes_of(node)) return *bytes;
  if (const auto* number = node.as_integer()) return fmt::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw UsageError(
      where +
      ": found a list, table or date; expected text in quotes, a number, true or false, or "
      "{ bytes = \"a%FF.csv\" } for a file's name that is not UTF-8");
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

/// Of options that are numbers otherwise.
bool is_word(const std::string& value) {
  return value == "workers";
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

std::string place(const std::string& file, const toml::node& node) {
  return fmt::format("{}:{}", file, node.source().begin.line);
}

[[noreturn]] void refuse_name(const std::string& where, std::string_view kind,
                              std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  const std::string guess = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  throw UsageError(fmt::format("{}: no {} named {}{} (known: {})", where, kind, echoed(word), guess,
                               joined(known)));
}

/// What the program writes for every option, and nobody asked for.
bool is_default(const Option& option, const Configuration& c) {
  const std::string text = option.get(c);
  if (text == option.get({})) return true;
  for (const Scheme& scheme : schemes()) {
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

class ConfigurationReader {
 public:
  ConfigurationReader(const std::string& name, Configuration& configuration,
                      std::vector<ContestantTable>* contestants)
      : name_(name), configuration_(configuration), contestants_(contestants) {}

  void read(std::string_view text) {
    const toml::table root = parsed(text);
    const std::vector<std::string> sections = section_names();
    for (const auto& [key, node] : root) {
      const std::string section(key.str());
      if (section == contestant_key) {
        read_contestants(node);
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
  toml::table parsed(std::string_view text) const {
    if (const auto line = DotCounter(text).line_of_too_many()) {
      throw UsageError(fmt::format(
          "{}:{}: found more than {} dots outside of quotes; expected [SECTION] or KEY = VALUE",
          name_, *line, DotCounter::most_dots));
    }
    try {
      return toml::parse(text, name_);
    } catch (const toml::parse_error& error) {
      throw UsageError(
          fmt::format("{}:{}: {}", name_, error.source().begin.line, error.description()));
    }
  }

  void read_section(const std::string& section, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const Option* option = find_option(section, key.str());
      if (option == nullptr) {
        refuse_name(place(name_, node), fmt::format("key of section [{}]", section), key.str(),
                    keys_of(section));
      }
      const std::string what = fmt::format("{}: {}", place(name_, node), option->name);
      const std::string text = value_text(node, what);
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
          contestants_ == nullptr ? "[[contestant]] is for `trainyard compare`"
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
