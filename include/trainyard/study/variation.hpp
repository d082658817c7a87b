// Options that a comparison varies, and the grid of all their values.
//
//   --vary period=1,4,16 --vary latency=10us:1ms     3 × 9 points
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

struct Variation {
  std::string option;
  std::vector<std::string> values;  // as they are typed
};

/// "NAME=A,B,…", or "NAME=A;B;…" where a value has commas, or "NAME=A:B" from above 0 to more:
/// whole numbers double, others go by the ratio that makes nine of them. NAME is any option of a
/// run. Throws UsageError, naming --vary, for what the option refuses and for a value that is there
/// twice, in whatever spelling.
Variation parse_variation(std::string_view text);

/// All combinations, the last one changing fastest; one empty point without variations. Throws
/// UsageError where an option is there twice, and where there are more than 100,000 points.
std::vector<std::vector<OptionText>> grid_of(const std::vector<Variation>& variations);

}  // namespace trainyard
