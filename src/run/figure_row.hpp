// Makers of rows of the table of figures: how a member of a summary is read, and in which views
// most figures are shown.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "trainyard/run/figures.hpp"

#include "run/figure_text.hpp"

namespace trainyard::figure_table {

using S = Summary;

template <typename T>
FigureValue value_of(const T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return value;
  }
}

template <typename T>
FigureValue value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : FigureValue();
}

template <auto member>
FigureValue member_of(const Summary& s) {
  return value_of(s.*member);
}

template <auto member>
FigureValue staleness_of(const Summary& s) {
  return s.staleness ? value_of((*s.staleness).*member) : FigureValue();
}

template <auto member>
FigureValue counts_of(const Summary& s) {
  return s.counts ? value_of((*s.counts).*member) : FigureValue();
}

/// Infinite where the network is perfect, which JSON has no number for.
inline FigureValue bandwidth_of(const Summary& s) {
  return std::isfinite(s.bandwidth_bytes_per_s) ? FigureValue(8.0 * s.bandwidth_bytes_per_s)
                                                : FigureValue();
}

using enum View;

inline constexpr View files = json | csv;
inline constexpr View asked = files | setting;
inline constexpr View measured = files | statistics;
inline constexpr View everywhere = measured | run_table | comparison_table;

/// A processor's count, in comparisons for each sample computed.
template <auto member>
constexpr Figure counter_row(std::string_view key, std::string_view path, std::string_view heading,
                             std::string_view legend, std::string (*text)(double) = nullptr) {
  return {.key = key,
          .path = path,
          .heading = heading,
          .of = counts_of<member>,
          .shown = measured | comparison_table,
          .column = {.of = a_sample<member>, .text = text, .legend = legend},
          .needs_asking = true};
}

}  // namespace trainyard::figure_table
