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

/// The collective that the run takes where nobody names one.
bool depends_on_network(const Configuration& c) {
  return c.network.perfect() && takes(find_scheme(c.scheme), "collective");
}

}  // namespace

std::string run_command_text(const Configuration& configuration) {
  const Configuration defaults = default_configuration();
  std::string text = "trainyard run";
  for (const Option& option : options()) {
    const std::string value = option.get(configuration);
    if (value.empty() || !option.describes_run || option.section == "output") continue;
    const bool said = std::ranges::find(always_said, option.name) != always_said.end() ||
                      (option.name == "collective" && depends_on_network(configuration));
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
