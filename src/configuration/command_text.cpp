#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

namespace {

/// Of these the program has other defaults on the built-in data set.
constexpr std::array<std::string_view, 3> always_said{"scheme", "lr", "compute-time"};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

/// What cannot be printed would be lost wherever the command is shown: printf, which every shell
/// has, spells it out.
std::string spelt_for_shell(const std::string& word) {
  std::string format;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '\'' && c != '\\' && c != '%';
    // In octal, which takes three digits at most: a digit that follows is no part of it.
    format += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return fmt::format("\"$(printf '{}')\"", format);
}

std::string quoted_for_shell(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  if (printable(word) != word) return spelt_for_shell(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string run_command_text(const Configuration& configuration) {
  const Configuration defaults = default_configuration();
  std::string text = "trainyard run";
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run || option.section == "output") continue;
    const bool said = std::ranges::find(always_said, option.name) != always_said.end();
    if (!said && value == option.get(defaults)) continue;
    if (option.argument.empty()) {
      text += fmt::format(" --{}{}", option.name, value == "true" ? "" : "=" + value);
    } else {
      text += fmt::format(" --{} {}", option.name, quoted_for_shell(value));
    }
  }
  return text;
}

}  // namespace trainyard
