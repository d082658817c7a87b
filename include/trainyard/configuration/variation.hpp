// The variations of a question: an option's values, and the grid of all values of several.
//
//   --vary period=1,4,16 --vary latency=10us:1ms     3 × 9 points
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

/// How values of an option lie on a line.
struct Measure {
  const char* unit;  // "s", "B/s", "B"; "" of numbers
  /// Seconds, bytes a second, bytes, or the number itself. Throws UsageError, beginning with
  /// `what`.
  double (*read)(std::string_view text, std::string_view what);
  std::string (*exact)(double value);  // as the option reads it
  std::string (*shown)(double value);  // for people
};

struct Variation {
  std::string option;
  std::vector<std::string> values;  // as they are typed
};

/// The line on which all values of a variation lie.
struct ValueLine {
  const Measure* measure = nullptr;  // nullptr: there is none, as of topologies
  bool counts = false;               // there is nothing between 1 and 2
};

/// The one spelling of all that mean the same value. Throws UsageError, beginning with `what`.
using Spelling = std::function<std::string(std::string_view text, std::string_view what)>;
/// Finds what is to be varied by its name, and how its values are read. Throws UsageError for a
/// name that the question does not vary.
using FindVaried = std::function<Spelling(const std::string& name)>;
/// Any option of a run (check_option()).
FindVaried any_option();

/// "NAME=A,B,…", or "NAME=A;B;…" where a value has commas, or "NAME=A:B" from above 0 to more:
/// whole numbers double, others go by the ratio that makes nine of them. Throws UsageError, naming
/// --vary, for what cannot be varied, for what it refuses, and for a value that is there twice, in
/// whatever spelling.
Variation parse_variation(std::string_view text, const FindVaried& find = any_option());

/// REQUIRES: parse_variation() has read it with the same `find`.
ValueLine line_of(const Variation& variation, const FindVaried& find);

/// Throws OptionError of `flag` where a contestant has for itself what is varied: a point would say
/// of it what is not true.
void check_varied(std::string_view flag, const std::vector<Variation>& variations,
                  const std::vector<Contestant>& contestants);

/// All combinations, the last one changing fastest; one empty point without variations. Throws
/// UsageError where an option is there twice, and where there are more than 100,000 points.
std::vector<std::vector<OptionText>> grid_of(const std::vector<Variation>& variations);

}  // namespace trainyard
