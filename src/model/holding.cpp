#include "trainyard/model/holding.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

AbsolutePenalty penalty_within(const AbsolutePenalty& penalty, const Holding& held) {
  Holding found;
  std::size_t before = 0;
  for (const ParameterRange& range : held.ranges) {
    for (const ParameterRange& weights : penalty.weights) {
      const std::size_t first = std::max(range.first, weights.first);
      const std::size_t end = std::min(range.first + range.count, weights.first + weights.count);
      if (first < end) found.add({before + first - range.first, end - first});
    }
    before += range.count;
  }
  return {penalty.l1, std::move(found.ranges)};
}

}  // namespace trainyard
