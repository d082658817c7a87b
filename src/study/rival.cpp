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

bool need_not_go_on(const Rival& rival, std::span<const Metrics> metrics) {
  const Metrics& now = metrics.back();
  const double off = distance(rival.target, now);
  if (rival.arrival && off > 0.0 && now.seconds >= rival.latest) return true;
  if (rival.arrival && off <= 0.0 &&
      first_crossing(rival.target, last_two(metrics))->seconds > rival.latest)
    return true;
  if (rival.metrics.empty()) return false;
  const double looked_at = 0.75 * (rival.arrival ? *rival.arrival : rival.metrics.back().seconds);
  const bool is_first = metrics.size() == 1 || metrics[metrics.size() - 2].seconds < looked_at;
  if (now.seconds < looked_at || !is_first) return false;
  const double rivals = distance_at(rival.target, rival.metrics, now.seconds);
  return rivals > 0.0 && off > 3.0 * rivals;
}

}  // namespace trainyard
