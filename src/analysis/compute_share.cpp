#include "trainyard/analysis/compute_share.hpp"

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr double backward_share = 2.0 / 3.0;  // of a step; the forward pass is half as long

}  // namespace

std::optional<double> bandwidth_for_share(const ShareTask& task, const Meetings& meetings,
                                          double share) {
  require(share > 0.0 && share < 1.0, "a share of the time is between 0 and 1");
  if (task.workers == 1) return 0.0;
  const double c = task.compute_s, rounds = 2.0 * (task.workers - 1);
  const double between = meetings.period / meetings.fragments * c;
  const double window = between * (1.0 / share - 1.0) + backward_share * c + meetings.delay * c -
                        rounds * task.latency_s;
  if (window <= 0.0) return std::nullopt;
  return rounds / task.workers * task.bytes / meetings.fragments / window;
}

}  // namespace trainyard
