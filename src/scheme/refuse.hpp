// How a row that cannot be run is refused.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <string_view>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Throws UsageError: "scheme 'NAME': FIELD: WHY".
[[noreturn]] void refuse(const Scheme& scheme, std::string_view field, std::string_view why);

struct Rule {
  bool broken;
  const char* field;
  const char* why;
};

/// Refuses the row for the first rule that it breaks.
void check_rules(const Scheme& scheme, std::span<const Rule> rules);

}  // namespace trainyard
