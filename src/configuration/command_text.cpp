#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/shell.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

namespace {

/// Of these the program has other defaults on the built-in data set.
constexpr std::array<std::string_view, 3> always_said{"scheme", "lr", "compute-time"};

}  // namespace

std::string run_command_text(const Configuration& configuration) {
  const Configuration defaults = default_configuration();
  std::string text = "trainyard run";
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run || option.section == "output") continue;
    // What was given, or written down as what this run takes, may not be what another one would.
    const bool said = std::ranges::find(always_said, option.name) != always_said.end() ||
                      configuration.ingredients.contains(option.name);
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
