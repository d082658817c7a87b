#include "trainyard/configuration/variation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

constexpr int values_of_range = 9;
constexpr std::size_t most_points = 100'000;
constexpr const char* what = "--vary";

/// In the largest of the units, each a thousand of the one before, of which it is one at least.
std::string scaled_text(double value, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  for (; value >= 999.95 && unit + 1 != units.end(); ++unit) value /= 1000.0;
  return fmt::format("{:.4g}{}", value, *unit);
}

/// A measure, and how a value between the ends of a range is written: with four digits.
struct Scale {
  Measure measure;
  std::string (*rounded)(double value);
};

double read_number(std::string_view text, std::string_view of) {
  return parse_number(text, of);
}
double read_seconds(std::string_view text, std::string_view of) {
  return to_seconds(parse_duration(text, of));
}
double read_bandwidth(std::string_view text, std::string_view of) {
  return parse_bandwidth(text, of);
}
double read_bytes(std::string_view text, std::string_view of) {
  return static_cast<double>(parse_bytes(text, of));
}

std::string human_bandwidth(double bytes_per_second) {
  if (!std::isfinite(bytes_per_second)) return "infinite";
  const double megabits = bytes_per_second * 8e-6;
  return megabits < 1000.0 ? fmt::format("{:.4g} Mbps", megabits)
                           : fmt::format("{:.4g} Gbps", megabits / 1000.0);
}

/// In the order in which they are tried: a plain number is no duration.
const std::array<Scale, 4>& scales() {
  static const std::array<Scale, 4> all{
      Scale{{"", read_number, [](double v) { return fmt::format("{}", v); },
             [](double v) { return fmt::format("{:.6g}", v); }},
            [](double v) { return fmt::format("{:.4g}", v); }},
      Scale{
          {"s", read_seconds, [](double v) { return fmt::format("{:.17g}s", v); }, human_duration},
          [](double v) {
            return scaled_text(v * 1e9, {"ns", "us", "ms", "s"});
          }},
      Scale{{"B/s", read_bandwidth, [](double v) { return fmt::format("{:.17g}bps", 8.0 * v); },
             human_bandwidth},
            [](double v) {
              return scaled_text(v * 8.0, {"bps", "kbps", "Mbps", "Gbps", "Tbps"});
            }},
      Scale{{"B", read_bytes, [](double v) { return fmt::format("{:.0f}B", v); },
             [](double v) { return human_bytes(v); }},
            [](double v) { return fmt::format("{:.0f}B", v); }},
  };
  return all;
}

/// Whether an option takes the text.
bool accepts(const Spelling& spelling, std::string_view text) {
  try {
    (void)spelling(text, what);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

bool reads(const Measure& measure, std::string_view text) {
  try {
    (void)measure.read(text, what);
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

std::vector<std::string> range_in(const Scale& scale, std::string_view first,
                                  std::string_view last) {
  const double low = scale.measure.read(first, what), high = scale.measure.read(last, what);
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
        scale.rounded(low * std::pow(high / low, static_cast<double>(i) / (values_of_range - 1))));
  }
  values.emplace_back(last);
  return values;
}

/// An option that takes both ends of A:B is given a range: of `straggler=0:4` it does not take the
/// 0. Empty where it is none.
std::vector<std::string> parse_range(const Spelling& spelling, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon != text.rfind(':')) return {};
  const std::string_view first = text.substr(0, colon), last = text.substr(colon + 1);
  if (!accepts(spelling, first) || !accepts(spelling, last)) return {};
  for (const Scale& scale : scales()) {
    if (!reads(scale.measure, first) || !reads(scale.measure, last)) continue;
    return range_in(scale, first, last);
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

/// Refused, and not taken once: a value that is there again was meant to be another one, 0.1,0.10
/// for 0.1,0.01, and a grid that silently lacks a point is found out when it has run.
void check_values_differ(const Variation& variation, const Spelling& spelling) {
  std::map<std::string, std::string> typed;  // by what it is read as
  for (const std::string& value : variation.values) {
    const auto [first, is_new] =
        typed.try_emplace(spelling(value, fmt::format("{}: {}", what, variation.option)), value);
    if (is_new) continue;
    throw UsageError(
        first->second == value
            ? fmt::format("--vary: {}: {} is there twice", variation.option, echoed(value))
            : fmt::format("--vary: {}: {} and {} are the same value; each is accepted once",
                          variation.option, echoed(first->second), echoed(value)));
  }
}

}  // namespace

FindVaried any_option() {
  return [](const std::string& name) -> Spelling {
    const Option& option = check_option(name, what);
    return [&option](std::string_view text, std::string_view of) {
      if (text.empty()) refuse_empty(of, option.argument);
      Configuration scratch;
      option.set(scratch, text, of);
      return option.get(scratch);
    };
  };
}

Variation parse_variation(std::string_view text, const FindVaried& find) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    throw UsageError(
        fmt::format("--vary: {} has no values; accepted: NAME=A,B,… or NAME=A:B", echoed(text)));
  }
  Variation variation{.option = std::string(text.substr(0, equals)), .values = {}};
  const std::string_view list = text.substr(equals + 1);
  const Spelling spelling = find(variation.option);
  variation.values = parse_range(spelling, list);
  if (variation.values.empty()) variation.values = parse_list(list);
  check_values_differ(variation, spelling);
  return variation;
}

ValueLine line_of(const Variation& variation, const FindVaried& find) {
  const Spelling spelling = find(variation.option);
  for (const Scale& scale : scales()) {
    const auto is_of_it = [&](const std::string& value) {
      return reads(scale.measure, spelling(value, what));
    };
    if (!std::ranges::all_of(variation.values, is_of_it)) continue;
    const bool is_number = scale.measure.read == read_number;
    return {.measure = &scale.measure, .counts = is_number && !accepts(spelling, "1.5")};
  }
  return {};
}

void check_varied(std::string_view flag, const std::vector<Variation>& variations,
                  const std::vector<Contestant>& contestants) {
  for (const Variation& variation : variations) {
    for (const Contestant& contestant : contestants) {
      const auto own = [&](const OptionText& setting) {
        return setting.option == variation.option;
      };
      if (std::ranges::none_of(contestant.settings, own)) continue;
      throw OptionError(flag, fmt::format("{} is what '{}' has for itself; either it is varied or "
                                          "it is given",
                                          variation.option, contestant.label));
    }
  }
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
