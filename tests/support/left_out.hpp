// Schemes that a test over the whole table of schemes leaves out, each with its reason.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

namespace trainyard::test {

struct LeftOut {
  std::string scheme;
  std::string reason;
};

/// The names of those for which `applies` holds, but for those left out. Fails the test where one
/// of these is no scheme to which it applies: then it need not be named.
template <typename Applies>
std::vector<std::string> schemes_where(const Applies& applies,
                                       const std::vector<LeftOut>& left_out = {}) {
  std::vector<std::string> names;
  std::size_t found = 0;
  for (const Scheme& scheme : schemes()) {
    if (!applies(scheme)) continue;
    if (std::ranges::find(left_out, scheme.name, &LeftOut::scheme) == left_out.end()) {
      names.push_back(scheme.name);
    } else {
      ++found;
    }
  }
  REQUIRE(found == left_out.size());
  REQUIRE_FALSE(names.empty());
  return names;
}

inline bool is_synchronous(const Scheme& scheme) {
  return scheme.family == SchemeFamily::synchronous;
}

/// Of a gradient that is one tensor the clock has nothing to decide.
inline bool repeats_with_one_tensor(const Scheme& scheme) {
  return !by_arrival(scheme) || scheme.order.by_clock;
}

}  // namespace trainyard::test
