#include "report/timeline_scale.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

TimeUnit unit_for(Duration duration) {
  static const std::array<TimeUnit, 3> small{{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}}};
  for (const TimeUnit& unit : small) {
    if (to_seconds(duration) < 1000.0 * unit.seconds) return unit;
  }
  return {"s", 1.0};
}

std::string in_unit(Duration time, const TimeUnit& unit) {
  return fmt::format("{:.4g}", to_seconds(time) / unit.seconds);
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
