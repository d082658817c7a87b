#include "scheme/refuse.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

void refuse(const Scheme& scheme, std::string_view field, std::string_view why) {
  throw UsageError(fmt::format("scheme '{}': {}: {}", scheme.name, field, why));
}

void check_rules(const Scheme& scheme, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    if (rule.broken) refuse(scheme, rule.field, rule.why);
  }
}

}  // namespace trainyard
