#include "trainyard/run/one_machine.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr std::array<std::string_view, 9> names{"latency",           "bandwidth", "up-bandwidth",
                                                "down-bandwidth",    "racks",     "between-latency",
                                                "between-bandwidth", "links",     "jitter"};

}  // namespace

bool is_between_machines(std::string_view option) {
  return std::ranges::find(names, option) != names.end();
}

bool asks_for_network(const Configuration& c) {
  if (c.network.perfect()) return false;
  if (c.network.faults.on_messages()) return true;
  static const Configuration defaults = default_configuration();
  return std::ranges::any_of(names, [&](std::string_view name) {
    const Option& option = option_named(name);
    return std::ranges::count(c.given, name) > 0 || option.get(c) != option.get(defaults);
  });
}

std::optional<std::string> shared_within(const Configuration& c) {
  const Scheme& scheme = find_scheme(c.scheme);
  const Cast cast = cast_of(scheme, c);
  if (cast.model != ModelHome::shared || cast.workers == 1) return std::nullopt;
  return scheme.messages.within;
}

std::optional<std::string> apart_within(const Configuration& c) {
  return asks_for_network(c) ? shared_within(c) : std::nullopt;
}

std::string apart_note(std::string_view within) {
  return fmt::format(
      "note: its workers write to memory that they share, within {}: nothing of theirs crosses the "
      "network that the others talk over, so it stands apart, behind the others, and is not ranked",
      within);
}

}  // namespace trainyard
