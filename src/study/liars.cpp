#include "study/liars.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

bool asks_for_liars(const Configuration& c) {
  return ingredient_name(c.ingredients, byzantine_kind) != "none";
}

}  // namespace

bool has_liars(const Configuration& c) {
  return asks_for_liars(c) && takes(find_scheme(c.scheme), byzantine_kind);
}

void check_spared(const Configuration& c) {
  if (!asks_for_liars(c) || has_liars(c)) return;
  throw OptionError("byzantine", ingredient_name(c.ingredients, byzantine_kind),
                    fmt::format("{0} has no rule for liars, and would have none beside others that "
                                "do; {0}{{byzantine=none}} says that this is meant",
                                c.scheme));
}

}  // namespace trainyard
