#include "trainyard/study/variation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/study/contestant.hpp"

#include "base/echoed.hpp"

namespace trainyard {

namespace {

constexpr int values_of_range = 9;  // as of `predict --vary`
constexpr std::size_t most_points = 100'000;
constexpr const char* what = "--vary";

/// Reads the ends of a range, and writes values between them.
struct Unit {
  std::function<double(std::string_view)> read;
  std::function<std::string(double)> text;
};

/// In the largest of the units, each a thousand of the one before, of which it is one at least.
std::string scaled_text(double value, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  for (; value >= 999.95 && unit + 1 != units.end(); ++unit) value /= 1000.0;
  return fmt::format("{:.4g}{}", value, *unit);
}

const std::vector<Unit>& units() {
  static const std::vector<Unit> all{
      {[](std::string_view t) { return parse_number(t, what); },
       [](double v) { return fmt::format("{:.4g}", v); }},
      {[](std::string_view t) { return to_seconds(parse_duration(t, what)); },
       [](double v) {
         return scaled_text(v * 1e9, {"ns", "us", "ms", "s"});
       }},
      {[](std::string_view t) { return parse_bandwidth(t, what); },
       [](double v) {
         return scaled_text(v * 8.0, {"bps", "kbps", "Mbps", "Gbps", "Tbps"});
       }},
  };
  return all;
}

/// Whether the option takes the text. One that takes both ends of A:B is given a range; of
/// `straggler=0:4` it does not take the 0.
bool accepts(const std::string& option, std::string_view text) {
  try {
    Configuration scratch;
    option_named(option).set(scratch, text, what);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::vector<std::string> doubling(double low, double high) {
  std::vector<std::string> values;
  double value = low;
  while (value < high) {
    values.push_back(fmt::format("{:.0f}", value));
    value *= 2.0;
  }
  values.push_back(fmt::format("{:.0f}", high));
  return values;
}

/// Empty where it is no range of this unit.
std::vector<std::string> range_in(const Unit& unit, std::string_view first, std::string_view last) {
  double low = 0.0, high = 0.0;
  try {
    low = unit.read(first);
    high = unit.read(last);
  } catch (const UsageError&) {
    return {};
  }
  if (!(low > 0.0 && low < high)) {
    throw UsageError(fmt::format(
        "--vary: {}:{}: a range goes from above 0 to more; zero is accepted in a list, A,B,…",
        first, last));
  }
  const auto digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (digits(first) && digits(last)) return doubling(low, high);
  std::vector<std::string> values{std::string(first)};
  for (int i = 1; i < values_of_range - 1; ++i) {
    values.push_back(
        unit.text(low * std::pow(high / low, static_cast<double>(i) / (values_of_range - 1))));
  }
  values.emplace_back(last);
  return values;
}

std::vector<std::string> parse_range(const std::string& option, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon != text.rfind(':')) return {};
  const std::string_view first = text.substr(0, colon), last = text.substr(colon + 1);
  if (!accepts(option, first) || !accepts(option, last)) return {};
  for (const Unit& unit : units()) {
    if (auto values = range_in(unit, first, last); !values.empty()) return values;
  }
  return {};
}

std::vector<std::string> parse_list(std::string_view text) {
  const char separator = text.find(';') == std::string_view::npos ? ',' : ';';
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    values.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
}

/// The one text of all that the option reads as the same value.
std::string canonical(const Option& option, const std::string& value) {
  Configuration scratch;
  option.set(scratch, value, what);
  return option.get(scratch);
}

/// Refused, and not taken once: a value that is there again was meant to be another one, 0.1,0.10
/// for 0.1,0.01, and a grid that silently lacks a point is found out when it has run.
void check_values_differ(const Variation& variation) {
  const Option& option = option_named(variation.option);
  std::map<std::string, std::string> typed;  // by what it is read as
  for (const std::string& value : variation.values) {
    check_setting({variation.option, value}, what);
    const auto [first, is_new] = typed.try_emplace(canonical(option, value), value);
    if (is_new) continue;
    throw UsageError(
        first->second == value
            ? fmt::format("--vary: {}: {} is there twice", variation.option, echoed(value))
            : fmt::format("--vary: {}: {} and {} are the same value; each is accepted once",
                          variation.option, echoed(first->second), echoed(value)));
  }
}

}  // namespace

Variation parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    throw UsageError(
        fmt::format("--vary: {} has no values; accepted: NAME=A,B,… or NAME=A:B", echoed(text)));
  }
  Variation variation{std::string(text.substr(0, equals)), {}};
  const std::string_view list = text.substr(equals + 1);
  check_option(variation.option, what);
  variation.values = parse_range(variation.option, list);
  if (variation.values.empty()) variation.values = parse_list(list);
  check_values_differ(variation);
  return variation;
}

std::vector<std::vector<OptionText>> grid_of(const std::vector<Variation>& variations) {
  std::vector<std::vector<OptionText>> points(1);
  for (const Variation& variation : variations) {
    const auto same = [&](const Variation& other) { return other.option == variation.option; };
    if (std::count_if(variations.begin(), variations.end(), same) > 1) {
      throw UsageError(
          fmt::format("--vary: {} is there twice; all its values go into one", variation.option));
    }
    if (points.size() * variation.values.size() > most_points) {
      throw UsageError(fmt::format("--vary: more than {} combinations", most_points));
    }
    std::vector<std::vector<OptionText>> longer;
    for (const auto& point : points) {
      for (const std::string& value : variation.values) {
        longer.push_back(point);
        longer.back().push_back({variation.option, value});
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace trainyard
