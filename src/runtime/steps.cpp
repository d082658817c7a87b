#include "trainyard/runtime/steps.hpp"

#include <algorithm>

namespace trainyard {

std::uint64_t StepRule::end(std::uint64_t begun, std::uint64_t closed,
                            std::uint64_t last_step) const {
  return std::min(pace == Pace::server ? closed + 1 : begun, last_step);
}

std::uint64_t StepRule::lot_from(std::uint64_t first) const {
  const std::uint64_t all = minibatches();
  return std::min(lot, all - std::min(first, all));
}

}  // namespace trainyard
