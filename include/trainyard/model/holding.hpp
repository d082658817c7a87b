// The part of a model that one worker holds: its replica is these parameters, one behind the other.
//
// Threads: a value like any other.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/model/model.hpp"

namespace trainyard {

/// Ranges of parameters, of which most holdings have one. A part of a layer's columns has one for
/// each row of its weights.
struct Holding {
  std::vector<ParameterRange> ranges;

  Holding() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a range is a holding
  Holding(ParameterRange range) : ranges{range} {}
  Holding(std::size_t first, std::size_t count) : Holding(ParameterRange{first, count}) {}

  /// Appends a range, or lengthens the last one by it where it begins at its end. One without
  /// parameters is left out.
  void add(ParameterRange range) {
    if (range.count == 0) return;
    if (!ranges.empty() && ranges.back().first + ranges.back().count == range.first) {
      ranges.back().count += range.count;
    } else {
      ranges.push_back(range);
    }
  }
  /// Number of parameters.
  std::size_t count() const {
    std::size_t sum = 0;
    for (const ParameterRange& range : ranges) sum += range.count;
    return sum;
  }
};

/// The penalty's weights as places in a replica that is `held`.
AbsolutePenalty penalty_within(const AbsolutePenalty& penalty, const Holding& held);

}  // namespace trainyard
