#include <fmt/format.h>

#include "trainyard/aggregation/attack.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"

#include "aggregation/argument.hpp"

namespace trainyard {

std::string AttackInfo::typed() const {
  if (argument.empty()) return name;
  return fmt::format("{}:{}{}", name, argument, fallback.empty() ? "" : " [" + fallback + "]");
}

namespace {

/// Of so many workers; 0: nobody knows yet, and only the text is looked at.
Byzantine byzantine_of(std::string_view text, int workers) {
  if (text == "none") return {};
  const ArgumentParts parts = argument_parts(text);
  if (!parts.has_second) {
    throw UsageError(
        fmt::format("Byzantine workers: {} is neither none nor F:ATTACK, as in "
                    "2:sign-flip",
                    echoed(text)));
  }
  Byzantine result;
  try {
    result.liars = count_argument(parts.first, "F", 1);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("Byzantine workers: {}", error.what()));
  }
  const ArgumentParts typed = argument_parts(parts.second);
  const AttackInfo& info = find_named(attacks(), typed.first, "attack");
  if (typed.has_second && info.argument.empty()) {
    throw UsageError(fmt::format("attack {}: it takes no argument", info.name));
  }
  if (workers > 0 && 2 * result.liars >= workers) {
    throw UsageError(fmt::format(
        "{} of {} workers lie, and no rule can tell a truth that most do not say; fewer "
        "than half are accepted",
        result.liars, workers));
  }
  try {
    result.attack = info.make(typed.has_second ? typed.second : std::string_view(info.fallback),
                              workers, result.liars);
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("attack {}: {}; {} is accepted", info.name, error.what(), info.typed()));
  }
  return result;
}

}  // namespace

void check_byzantine(std::string_view text) {
  byzantine_of(text, 0);
}

Byzantine make_byzantine(std::string_view text, int workers) {
  require(workers >= 1, "there is a worker at least");
  return byzantine_of(text, workers);
}

}  // namespace trainyard
