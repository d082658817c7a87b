#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

/// The shortest exact text.
std::string quantity_text(Unit unit, double value) {
  if (unit == Unit::seconds) return exact_text(seconds(value));
  constexpr std::array<const char*, 4> units{"", "KiB", "MiB", "GiB"};
  auto count = static_cast<std::uint64_t>(value);
  std::size_t power = 0;
  while (count > 0 && count % 1024 == 0 && power + 1 < units.size()) {
    count /= 1024;
    ++power;
  }
  return fmt::format("{}{}", count, units[power]);
}

/// Reads a hyperparameter with a unit.
double parse_quantity(const HyperparameterInfo& p, std::string_view text, std::string_view what) {
  const double value = p.unit == Unit::bytes ? static_cast<double>(parse_bytes(text, what))
                                             : to_seconds(parse_duration(text, what));
  if (value >= p.low && value <= p.high) return value;
  throw UsageError(fmt::format("{}: {} is not from {} to {}", what, echoed(text),
                               quantity_text(p.unit, p.low), quantity_text(p.unit, p.high)));
}

double parse_hyperparameter(const HyperparameterInfo& p, std::string_view text,
                            std::string_view what) {
  if (!p.choices.empty()) return static_cast<double>(chosen(text, what, p.choices));
  if (p.unit != Unit::none) return parse_quantity(p, text, what);
  if (p.whole) {
    return static_cast<double>(parse_integer(text, what, static_cast<std::int64_t>(p.low),
                                             static_cast<std::int64_t>(p.high)));
  }
  const double value = parse_number(text, what);
  if (!(value >= p.low && value <= p.high)) {
    throw UsageError(
        fmt::format("{}: {} is not a number from {} to {}", what, echoed(text), p.low, p.high));
  }
  return value;
}

std::string hyperparameter_text(const HyperparameterInfo& p, double value) {
  if (!p.choices.empty()) return p.choices[static_cast<std::size_t>(value)];
  return p.unit == Unit::none ? fmt::to_string(value) : quantity_text(p.unit, value);
}

/// "10", or "1 on this machine"; empty where it depends on the run: the help says it in words.
std::string fallback_text(const HyperparameterInfo& p) {
  if (p.run_fallback != nullptr) return "";
  return hyperparameter_text(p, p.default_value()) +
         (p.machine_fallback != nullptr ? " on this machine" : "");
}

/// " [10]", or " [10; mine: 4]" where a scheme has another than the first one that takes it.
std::string default_text(const HyperparameterInfo& first) {
  const std::string usual = fallback_text(first);
  std::string text = usual;
  for (const Scheme& scheme : schemes()) {
    for (const HyperparameterInfo& p : scheme.hyperparameters) {
      if (p.name != first.name) continue;
      const std::string own = fallback_text(p);
      if (own == usual) continue;
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", scheme.name,
                          own.empty() ? "as the run has it" : own);
    }
  }
  return text.empty() ? "" : fmt::format(" [{}]", text);
}

bool has_hyperparameter(const Scheme& scheme, const std::string& name) {
  return std::ranges::find(scheme.hyperparameters, name, &HyperparameterInfo::name) !=
         scheme.hyperparameters.end();
}

IdleReason idle_hyperparameter(const HyperparameterInfo& p) {
  return [name = p.name, of_wall = p.of_wall](const OptionSetting& s) -> std::string {
    if (!has_hyperparameter(s.scheme, name)) return s.scheme.name + " does not take it";
    const bool in_vain = of_wall && s.configuration.time == TimeMode::simulated;
    return in_vain ? "it is for --time wall" : "";
  };
}

/// The names of the schemes that take it.
std::string takers_of(const std::string& name) {
  std::vector<std::string> takers;
  for (const Scheme& scheme : schemes()) {
    if (has_hyperparameter(scheme, name)) takers.push_back(scheme.name);
  }
  return joined(takers);
}

}  // namespace

std::string hyperparameter_help(const HyperparameterInfo& p) {
  return fmt::format("{}: {}{}", takers_of(p.name), p.help, default_text(p));
}

std::vector<Option> hyperparameter_options() {
  std::vector<Option> table;
  for (const Scheme& scheme : schemes()) {
    for (const HyperparameterInfo& p : scheme.hyperparameters) {
      if (std::ranges::find(table, p.name, &Option::name) != table.end()) continue;
      table.push_back({"scheme", p.name, p.argument, hyperparameter_help(p),
                       [p](Configuration& c, std::string_view text, std::string_view what) {
                         c.hyperparameters[p.name] = parse_hyperparameter(p, text, what);
                       },
                       [p](const Configuration& c) {
                         const auto found = c.hyperparameters.find(p.name);
                         return found == c.hyperparameters.end()
                                    ? ""
                                    : hyperparameter_text(p, found->second);
                       },
                       p.choices.empty() && p.unit == Unit::none, true, idle_hyperparameter(p)});
    }
  }
  return table;
}

}  // namespace trainyard
