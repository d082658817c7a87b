#include "app/scheme_help.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::app {

namespace {

/// The text that names schemes on the command line; empty where there is none.
std::string text_of_schemes(const CLI::App& command) {
  for (const char* name : {"--scheme", "--schemes", "WHAT"}) {
    const CLI::Option* flag = command.get_option_no_throw(name);
    if (flag != nullptr && flag->count() > 0) return flag->results().back();
  }
  return "";
}

std::vector<const Scheme*> schemes_named(const std::string& text) {
  std::vector<const Scheme*> found;
  if (text.empty()) return found;
  try {
    for (const Contestant& contestant : parse_contestants(text)) {
      found.push_back(&find_scheme(contestant.scheme));
    }
  } catch (const UsageError&) {  // an example of timeline, or a mistake: the call itself says so
  }
  return found;
}

bool has(const Scheme& scheme, const std::string& hyperparameter) {
  return std::ranges::count(scheme.hyperparameters, hyperparameter, &HyperparameterInfo::name) > 0;
}

}  // namespace

std::string scheme_help_note(const std::string& named) {
  return fmt::format(
      "Flags of a scheme's own rule: {} --help, or --help-all for every scheme's.\n\n", named);
}

void show_flags_of_named_schemes(CLI::App& command) {
  const std::vector<const Scheme*> named = schemes_named(text_of_schemes(command));
  for (const Option& option : options()) {
    if (option.section != "scheme") continue;
    CLI::Option* flag = command.get_option_no_throw("--" + option.name);
    const auto takes_it = [&](const Scheme* scheme) { return has(*scheme, option.name); };
    if (flag != nullptr && std::ranges::none_of(named, takes_it)) flag->group("");
  }
}

}  // namespace trainyard::app
