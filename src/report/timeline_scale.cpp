#include "report/timeline_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

namespace {

TimeUnit unit_of(double seconds) {
  static const std::array<TimeUnit, 3> small{{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}}};
  for (const TimeUnit& unit : small) {
    if (seconds < 1000.0 * unit.seconds) return unit;
  }
  return {"s", 1.0};
}

}  // namespace

TimeUnit unit_for(const Trace& trace) {
  const double apart = to_seconds(trace.until - trace.from), latest = to_seconds(trace.until);
  TimeUnit unit = unit_of(apart);
  if (apart <= 0.0) return unit;
  // No more digits than a double has, which is what they are written from.
  const double late = std::ceil(std::log10(latest / apart)),
               whole = std::log10(latest / unit.seconds);
  unit.digits =
      std::clamp(std::max(4 + static_cast<int>(late), 1 + static_cast<int>(whole)), 4, 15);
  return unit;
}

std::string in_unit(Duration time, const TimeUnit& unit) {
  return fmt::format("{:.{}g}", to_seconds(time) / unit.seconds, unit.digits);
}

double rounded_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= value * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

std::vector<Time> ticks_of(const Trace& trace, int most) {
  if (trace.until <= trace.from) return {trace.from};
  const Duration step = seconds(rounded_up(to_seconds(trace.until - trace.from) / most));
  std::vector<Time> ticks;
  const auto first = (trace.from + step - Duration{1}) / step;
  for (Time at = first * step; at <= trace.until; at += step) ticks.push_back(at);
  return ticks;
}

std::string short_name(const std::string& name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? name : name.substr(0, 1) + name.substr(blank + 1);
}

}  // namespace trainyard
