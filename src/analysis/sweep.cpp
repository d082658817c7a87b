#include "trainyard/analysis/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "base/echoed.hpp"

namespace trainyard {

namespace {

constexpr int values_of_range = 9;
constexpr double narrow_enough = 1.001;

/// Reads the text as the flag of that name would, so that it means and refuses the same.
template <typename Get>
double read_as_flag(const char* name, std::string_view text, std::string_view what, Get get) {
  Configuration c;
  option_named(name).set(c, text, what);
  return get(c);
}

double read_compute_time(std::string_view text, std::string_view what) {
  return read_as_flag("compute-time", text, what, [&](const Configuration& c) {
    if (!c.compute_time) {
      throw UsageError(fmt::format("{}: {} is no duration, like 3ms", what, echoed(text)));
    }
    return to_seconds(*c.compute_time);
  });
}

double read_size(std::string_view text, std::string_view what) {
  const std::uint64_t bytes = parse_bytes(text, what);
  if (bytes < sizeof(float)) {
    throw UsageError(fmt::format("{}: {} is less than one float, 4 bytes", what, echoed(text)));
  }
  return static_cast<double>(bytes);
}

std::string duration_text(double value) {
  return human_duration(value);
}
std::string count_text(double value) {
  return fmt::format("{:.0f}", value);
}

/// From low to high, both included.
std::vector<double> range(const Quantity& quantity, double low, double high) {
  std::vector<double> values;
  if (quantity.whole) {
    double value = low;
    while (value < high) {
      values.push_back(value);
      value *= 2;
    }
  } else {
    for (int i = 0; i < values_of_range - 1; ++i) {
      values.push_back(low * std::pow(high / low, static_cast<double>(i) / (values_of_range - 1)));
    }
  }
  values.push_back(high);
  return values;
}

/// By more than the two may be off.
bool is_shorter(const Prediction& one, const Prediction& other) {
  return one.step_s + one.step_error_s < other.step_s - other.step_error_s;
}

SweepPoint point_at(const Quantity& quantity, double value, const std::vector<Variant>& variants,
                    PredictionSetting setting) {
  quantity.set(setting, value);
  SweepPoint point{value, {}, -1};
  for (const Variant& variant : variants) {
    const auto index = static_cast<int>(point.predictions.size());
    point.predictions.push_back(predict(variant, setting));
    const Prediction& latest = point.predictions.back();
    if (!latest.is_played || latest.messages == 0.0) continue;
    const bool first = point.cheapest < 0;
    if (first || is_shorter(latest, point.predictions[static_cast<std::size_t>(point.cheapest)])) {
      point.cheapest = index;
    }
  }
  return point;
}

/// REQUIRES: the two points have different cheapest variants.
Crossing crossing_between(const Quantity& quantity, const SweepPoint& low, const SweepPoint& high,
                          const std::vector<Variant>& variants, const PredictionSetting& setting) {
  const Variant& before = variants[static_cast<std::size_t>(low.cheapest)];
  const Variant& after = variants[static_cast<std::size_t>(high.cheapest)];
  Crossing crossing{low.value, high.value, before, after};
  if (quantity.whole || low.value <= 0.0) return crossing;
  while (crossing.high > narrow_enough * crossing.low) {
    const double middle = std::sqrt(crossing.low * crossing.high);
    const bool still = point_at(quantity, middle, {before, after}, setting).cheapest == 0;
    (still ? crossing.low : crossing.high) = middle;
  }
  return crossing;
}

}  // namespace

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> table{
      {"workers", true,
       [](std::string_view text, std::string_view what) {
         return read_as_flag("workers", text, what,
                             [](const Configuration& c) { return static_cast<double>(c.workers); });
       },
       [](PredictionSetting& s, double value) {
         s.configuration.workers = static_cast<int>(value);
       },
       count_text},
      {"servers", true,
       [](std::string_view text, std::string_view what) {
         return read_as_flag("servers", text, what,
                             [](const Configuration& c) { return static_cast<double>(c.servers); });
       },
       [](PredictionSetting& s, double value) {
         s.configuration.servers = static_cast<int>(value);
         s.configuration.given.push_back("servers");  // and not what a system sets
       },
       count_text},
      {"latency", false,
       [](std::string_view text, std::string_view what) {
         return read_as_flag("latency", text, what,
                             [](const Configuration& c) { return to_seconds(c.network.latency); });
       },
       [](PredictionSetting& s, double value) { s.configuration.network.latency = seconds(value); },
       duration_text},
      {"bandwidth", false,
       [](std::string_view text, std::string_view what) {
         return read_as_flag("bandwidth", text, what,
                             [](const Configuration& c) { return c.network.bytes_per_second; });
       },
       [](PredictionSetting& s, double value) { s.configuration.network.bytes_per_second = value; },
       [](double value) { return fmt::format("{:.4g} Mbps", value * 8e-6); }},
      {"size", false, read_size,
       [](PredictionSetting& s, double value) {
         s.parameters = static_cast<std::uint64_t>(std::llround(value / sizeof(float)));
       },
       [](double value) { return human_bytes(value); }},
      {"compute-time", false, read_compute_time,
       [](PredictionSetting& s, double value) { s.configuration.compute_time = seconds(value); },
       duration_text},
  };
  return table;
}

Sweep parse_sweep(std::string_view text, std::string_view what) {
  const std::size_t equals = text.find('=');
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) names.push_back(quantity.name);
  const std::string_view name = text.substr(0, equals);
  const Quantity& quantity = quantities()[chosen(name, what, names)];
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format("{}: {} has no values; accepted: {}=A,B,… or {}=A:B", what,
                                 echoed(text), name, name));
  }
  const std::string_view list = text.substr(equals + 1);
  const auto read = [&](std::string_view one) {
    const double value = quantity.read(one, what);
    if (!std::isfinite(value)) {
      throw UsageError(fmt::format("{}: {} is not finite", what, echoed(one)));
    }
    return value;
  };

  Sweep result{&quantity, {}};
  if (const std::size_t colon = list.find(':'); colon != std::string_view::npos) {
    const double low = read(list.substr(0, colon));
    const double high = read(list.substr(colon + 1));
    if (!(low > 0.0 && low < high)) {
      throw UsageError(fmt::format(
          "{}: {}: a range goes from above 0 to more; zero is accepted in a list, A,B,…", what,
          echoed(list)));
    }
    result.values = range(quantity, low, high);
    return result;
  }
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.values.push_back(read(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  std::ranges::sort(result.values);
  result.values.erase(std::unique(result.values.begin(), result.values.end()), result.values.end());
  return result;
}

SweepResult sweep(const Sweep& values, const std::vector<Variant>& variants,
                  const PredictionSetting& setting) {
  SweepResult result;
  for (const double value : values.values) {
    result.points.push_back(point_at(*values.quantity, value, variants, setting));
    if (result.points.size() == 1) continue;
    const SweepPoint& low = result.points[result.points.size() - 2];
    const SweepPoint& high = result.points.back();
    if (low.cheapest < 0 || high.cheapest < 0 || low.cheapest == high.cheapest) continue;
    result.crossings.push_back(crossing_between(*values.quantity, low, high, variants, setting));
  }
  return result;
}

}  // namespace trainyard
