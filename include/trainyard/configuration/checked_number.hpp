// Numbers of options that must lie in a range.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

/// A number that a condition must hold for; `expected` completes "is not …".
inline double checked_number(std::string_view text, std::string_view what, bool (*holds)(double),
                             std::string_view expected) {
  const double value = parse_number(text, what);
  if (!holds(value))
    throw UsageError(fmt::format("{}: {} is not {}", what, echoed(text), expected));
  return value;
}

inline bool positive(double value) {
  return value > 0.0;
}
inline bool not_negative(double value) {
  return value >= 0.0;
}
inline bool below_one(double value) {
  return value >= 0.0 && value < 1.0;
}

}  // namespace trainyard
