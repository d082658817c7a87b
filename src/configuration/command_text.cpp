#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/shell.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Of these the program has other defaults on the built-in data set.
constexpr std::array<std::string_view, 3> always_said{"scheme", "lr", "compute-time"};

/// The collective that is taken without a network is not that of the defaults, which have one.
bool says_collective(const Configuration& c) {
  return takes(find_scheme(c.scheme), "collective") && !has_usual_collective(c);
}

}  // namespace

std::string run_command_text(const Configuration& configuration) {
  const Configuration defaults = default_configuration();
  std::string text = "trainyard run";
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run || option.section == "output") continue;
    const bool said = std::ranges::find(always_said, option.name) != always_said.end() ||
                      (option.name == "collective" && says_collective(configuration));
    if (option.name == "collective" && has_usual_collective(configuration)) continue;
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
