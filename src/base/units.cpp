#include "trainyard/base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

struct UnitName {
  std::string_view name;
  double factor;
};

// In picoseconds; 0 marks the unit that only the number zero may go without.
constexpr std::array<UnitName, 9> duration_units{{{"ps", 1.0},
                                                  {"ns", 1e3},
                                                  {"us", 1e6},
                                                  {"µs", 1e6},
                                                  {"ms", 1e9},
                                                  {"s", 1e12},
                                                  {"min", 60e12},
                                                  {"h", 3600e12},
                                                  {"", 0.0}}};
constexpr std::array<UnitName, 12> bandwidth_units{{{"bps", 0.125},
                                                    {"kbps", 125.0},
                                                    {"Mbps", 125e3},
                                                    {"Gbps", 125e6},
                                                    {"Tbps", 125e9},
                                                    {"B/s", 1.0},
                                                    {"kB/s", 1e3},
                                                    {"MB/s", 1e6},
                                                    {"GB/s", 1e9},
                                                    {"KiB/s", 1024.0},
                                                    {"MiB/s", 1048576.0},
                                                    {"GiB/s", 1073741824.0}}};
constexpr std::array<UnitName, 8> byte_units{{{"", 1.0},
                                              {"B", 1.0},
                                              {"kB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"KiB", 1024.0},
                                              {"MiB", 1048576.0},
                                              {"GiB", 1073741824.0}}};

struct Quantity {
  double value;
  double factor;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view accepted) {
  throw UsageError(fmt::format("{}: {} is not {}", what, echoed(text), accepted));
}

/// Number, optional blanks, unit. A unit with factor 0 is for the bare number zero alone.
Quantity split(std::string_view text, std::string_view what, std::span<const UnitName> units,
               std::string_view accepted) {
  const std::string_view body = trimmed(text);
  double value = 0.0;
  const char* begin = body.data();
  const auto [end, error] = std::from_chars(begin, begin + body.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(what, text, accepted);
  const std::string_view unit = trimmed(body.substr(static_cast<std::size_t>(end - begin)));
  for (const UnitName& known : units) {
    if (known.name != unit) continue;
    if (known.factor == 0.0 && value != 0.0) break;
    if (value < 0.0) {
      throw UsageError(
          fmt::format("{}: {} is negative; {} is expected", what, echoed(text), accepted));
    }
    return {value + 0.0, known.factor};  // -0 as 0
  }
  refuse(what, text, accepted);
}

std::string human(double value, std::span<const UnitName> units) {
  const UnitName* chosen = &units.front();
  for (const UnitName& unit : units) {
    if (std::abs(value) >= unit.factor * 0.9995) chosen = &unit;
  }
  return fmt::format("{:.4g} {}", value / chosen->factor, chosen->name);
}

}  // namespace

Duration seconds(double value) {
  const double ticks = std::round(value * 1e12);
  if (!(std::abs(ticks) < 9.2e18)) {
    throw UsageError(
        fmt::format("{} s is beyond the longest time that can be kept, 106 days", value));
  }
  return Duration(static_cast<std::int64_t>(ticks));
}

Time checked_sum(Time at, Duration duration) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(at.count(), duration.count(), &sum)) {
    throw RunError(
        "the run's clock would pass 106 days, the longest time that can be kept; shorter compute "
        "times, latencies and budgets are accepted");
  }
  return Time(sum);
}

Duration scaled(Duration duration, double factor) {
  const double ticks = std::round(static_cast<double>(duration.count()) * factor);
  if (!(std::abs(ticks) < 9.2e18)) return seconds(ticks * 1e-12);  // throws
  return Duration(static_cast<std::int64_t>(ticks));
}

Duration parse_duration(std::string_view text, std::string_view what) {
  constexpr std::string_view accepted =
      "a duration: a number ≥ 0 with a unit ps, ns, us, ms, s, min or h, like '20ms'";
  const Quantity quantity = split(text, what, duration_units, accepted);
  const double ticks = std::round(quantity.value * quantity.factor);
  if (!(ticks < 9.2e18)) refuse(what, text, "shorter than 106 days");
  return Duration(static_cast<std::int64_t>(ticks));
}

double parse_bandwidth(std::string_view text, std::string_view what) {
  constexpr std::string_view accepted =
      "a bandwidth: 'infinite' or a number > 0 with a unit bps, kbps, Mbps, Gbps, Tbps (bits) or "
      "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s (bytes), like '1.4Gbps'";
  if (trimmed(text) == "infinite") return std::numeric_limits<double>::infinity();
  const Quantity quantity = split(text, what, bandwidth_units, accepted);
  if (quantity.value == 0.0) refuse(what, text, accepted);
  return quantity.value * quantity.factor;
}

std::uint64_t parse_bytes(std::string_view text, std::string_view what) {
  constexpr std::string_view accepted =
      "a size: a whole number of bytes, with a unit B, kB, MB, GB, KiB, MiB, GiB or none";
  const Quantity quantity = split(text, what, byte_units, accepted);
  const double bytes = quantity.value * quantity.factor;
  if (bytes != std::floor(bytes) || bytes > 9e15) refuse(what, text, accepted);
  return static_cast<std::uint64_t>(bytes);
}

double parse_number(std::string_view text, std::string_view what) {
  const std::string_view body = trimmed(text);
  double value = 0.0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (error != std::errc{} || end != body.data() + body.size() || !std::isfinite(value)) {
    refuse(what, text, "a finite number");
  }
  return value + 0.0;  // -0 as 0: whole numbers of a configuration file have no sign of zero
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high) {
  const std::string accepted = fmt::format("a whole number from {} to {}", low, high);
  const std::string_view body = trimmed(text);
  std::int64_t exact = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), exact);
  if (error == std::errc{} && end == body.data() + body.size()) {
    if (exact < low || exact > high) refuse(what, text, accepted);
    return exact;
  }
  double value = 0.0;
  const auto [stop, failure] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (failure != std::errc{} || stop != body.data() + body.size() || value != std::floor(value) ||
      std::abs(value) > 9e15 || value < static_cast<double>(low) ||
      value > static_cast<double>(high)) {
    refuse(what, text, accepted);
  }
  return static_cast<std::int64_t>(value);
}

std::string exact_text(Duration duration) {
  struct Scale {
    std::string_view name;
    std::int64_t ticks;
  };
  constexpr std::array<Scale, 4> scales{
      {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}}};
  for (const Scale& scale : scales) {
    if (duration.count() % scale.ticks == 0) {
      return fmt::format("{}{}", duration.count() / scale.ticks, scale.name);
    }
  }
  return fmt::format("{}ps", duration.count());
}

std::string bandwidth_text(double bytes_per_second) {
  if (std::isinf(bytes_per_second)) return "infinite";
  for (const std::size_t i : {4U, 3U, 2U, 1U}) {
    const UnitName& unit = bandwidth_units[i];
    const double value = bytes_per_second / unit.factor;
    if (value >= 1.0 && value * unit.factor == bytes_per_second) {
      return fmt::format("{}{}", value, unit.name);
    }
  }
  return fmt::format("{}B/s", bytes_per_second);
}

std::string human_duration(double seconds) {
  constexpr std::array<UnitName, 4> units{{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1.0}}};
  return seconds == 0.0 ? "0 s" : human(seconds, units);
}

std::string long_duration(double seconds) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 4> units{
      {{"min", 60.0}, {"h", 3600.0}, {"days", 86400.0}, {"years", 365.25 * 86400.0}}};
  // Runs of weeks are counted in hours, and intervals of two hours in minutes, as in the papers.
  constexpr std::array<double, 4> from{120.0, 10800.0, 3.6e7, 2.0 * 365.25 * 86400.0};
  if (!std::isfinite(seconds)) return "never ends";
  if (seconds < from[0]) return human_duration(seconds);
  std::size_t chosen = 0;
  while (chosen + 1 < units.size() && seconds >= from[chosen + 1]) ++chosen;
  return fmt::format("{:.4g} {}", seconds / units[chosen].seconds, units[chosen].name);
}

std::string human_bytes(double bytes) {
  constexpr std::array<UnitName, 5> units{
      {{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  return human(bytes, units);
}

std::string human_count(double count) {
  if (count < 10000) return fmt::format("{:.4g}", count);
  constexpr std::array<UnitName, 4> units{{{"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};
  return human(count, units);
}

}  // namespace trainyard
