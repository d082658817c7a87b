// The parts of the table of options that have a file each, and the makers of their rows.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

/// Of [run]: when it ends.
std::vector<Option> budget_options();
/// [scheme]: every hyperparameter that some scheme takes, once.
std::vector<Option> hyperparameter_options();
std::vector<Option> data_options();
/// Of [data]: which rows go where, and in which order.
std::vector<Option> row_options();
std::vector<Option> optimizer_options();
std::vector<Option> network_options();
std::vector<Option> compute_options();
std::vector<Option> output_options();

inline bool parse_switch(std::string_view text, std::string_view what) {
  static const std::array<std::string, 2> names{"false", "true"};
  return chosen(text, what, names) == 1;
}

/// An option that keeps its text as it is.
inline Option text_option(std::string section, std::string name, std::string argument,
                          std::string help, std::string Configuration::*field) {
  return {std::move(section),
          std::move(name),
          std::move(argument),
          std::move(help),
          [field](Configuration& c, std::string_view text, std::string_view) { c.*field = text; },
          [field](const Configuration& c) { return c.*field; }};
}

/// An option that TOML writes without quotes.
template <typename Set, typename Get>
Option number_option(std::string section, std::string name, std::string argument, std::string help,
                     Set set, Get get) {
  return {std::move(section),
          std::move(name),
          std::move(argument),
          std::move(help),
          std::move(set),
          std::move(get),
          true};
}

inline Option switch_option(std::string section, std::string name, std::string help,
                            bool Configuration::*field) {
  return {std::move(section),
          std::move(name),
          "",
          std::move(help),
          [field](Configuration& c, std::string_view text, std::string_view what) {
            c.*field = parse_switch(text, what);
          },
          [field](const Configuration& c) { return c.*field ? "true" : "false"; },
          true};
}

/// The row, and when it has no effect.
inline Option idle_where(Option row, IdleReason idle) {
  row.idle = std::move(idle);
  return row;
}

/// The row, which these take, too.
inline Option also(unsigned takers, Option row) {
  row.takers |= takers;
  return row;
}

inline std::vector<Option> also(unsigned takers, std::vector<Option> rows) {
  for (Option& row : rows) row.takers |= takers;
  return rows;
}

}  // namespace trainyard
