#include "study/rival.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trainyard {

namespace {

std::span<const Metrics> last_two(std::span<const Metrics> metrics) {
  return metrics.last(std::min<std::size_t>(2, metrics.size()));
}

}  // namespace

double distance_at(const Target& target, std::span<const Metrics> metrics, double seconds) {
  const auto after = std::ranges::lower_bound(metrics, seconds, {}, &Metrics::seconds);
  if (after == metrics.end()) return distance(target, metrics.back());
  if (after == metrics.begin() || after->seconds == seconds) return distance(target, *after);
  const auto before = std::prev(after);
  const double part = (seconds - before->seconds) / (after->seconds - before->seconds);
  return std::lerp(distance(target, *before), distance(target, *after), part);
}

double furthest_at(const Rival& rival, double seconds) {
  double furthest = 0.0;
  for (const std::vector<Metrics>& curve : rival.curves) {
    furthest = std::max(furthest, distance_at(rival.target, curve, seconds));
  }
  return furthest;
}

bool need_not_go_on(const Rival& rival, std::span<const Metrics> metrics) {
  const Metrics& now = metrics.back();
  const double off = distance(rival.target, now);
  if (rival.arrival) {
    const double at =
        off > 0.0 ? now.seconds : first_crossing(rival.target, last_two(metrics))->seconds;
    if (off > 0.0 ? at >= rival.until : at > rival.until) return true;
  }
  if (rival.curves.empty()) return false;
  double ended = 0.0;
  for (const auto& curve : rival.curves) ended = std::max(ended, curve.back().seconds);
  const double looked_at = 0.75 * rival.arrival.value_or(ended);
  const bool is_first = metrics.size() == 1 || metrics[metrics.size() - 2].seconds < looked_at;
  if (now.seconds < looked_at || !is_first) return false;
  const double rivals = furthest_at(rival, now.seconds);
  return rivals > 0.0 && off > 3.0 * rivals;
}

}  // namespace trainyard
