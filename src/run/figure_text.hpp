// Figures of a run as people read them, where it takes more than a number and its unit.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "trainyard/run/run.hpp"

namespace trainyard {

template <int digits>
std::string decimals(double value) {
  if (std::isnan(value)) return "nan";  // and not "-nan", as the sign of one means nothing
  // A loss on its way to infinity would take forty columns; it has the digits of the status line.
  return std::abs(value) < 1e3 ? fmt::format("{:.{}f}", value, digits)
                               : fmt::format("{:.6g}", value);
}

template <int digits>
std::string significant(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);
}

std::string percent_text(double value);
std::string joules_text(double value);
/// Two decimals, or two digits of what is less than a tenth.
std::string ratio_text(double value);
/// Five decimals, or three digits of what is less than a thousandth.
std::string loss_text(double value);

/// Percent of the run's seconds; empty for a run that took none.
std::optional<double> share_of_run(double part, const Summary& s);
/// "1.5 s (50 %)", or "0 s (-)" of a run that took no time.
std::string part_of_run(double part, const Summary& s);

template <auto part>
std::optional<double> share_of_run(const Summary& s) {
  return share_of_run(s.*part, s);
}

template <auto part>
std::string part_of_run(const Summary& s) {
  return part_of_run(s.*part, s);
}

std::optional<double> coding_share(const Summary& s);

/// A counter divided by the samples that were computed.
template <auto member>
std::optional<double> a_sample(const Summary& s) {
  if (!s.counts || !((*s.counts).*member) || s.samples_computed == 0) return std::nullopt;
  return static_cast<double>(*((*s.counts).*member)) / static_cast<double>(s.samples_computed);
}

// Lines of the table of one run; empty where there is nothing to say.
std::string compute_line(const Summary& s);
std::string samples_computed_line(const Summary& s);
/// "4,800 of 32 rows, 12.3 passes over the data".
std::string gradients_line(const Summary& s);
/// "0.8123 ± 0.0004 a pass".
std::string linear_rate_line(const Summary& s);
std::string time_to_target_line(const Summary& s);
std::string staleness_line(const Summary& s);
std::string coding_line(const Summary& s);
std::string consensus_line(const Summary& s);
/// For figures that most runs lack: no line without a value.
template <auto member>
std::string text_or_none(const Summary& s) {
  return s.*member ? fmt::format("{:.4g}", *(s.*member)) : "";
}

template <auto member, int digits>
std::string decimals_or_none(const Summary& s) {
  return s.*member ? decimals<digits>(*(s.*member)) : "";
}

/// "0.9713 (auc)".
template <auto member>
std::string metric_line(const Summary& s) {
  return s.*member ? fmt::format("{:.4f} ({})", *(s.*member), s.metric.value_or("")) : "";
}

/// Why there is no time to the target.
std::string without_target(const Summary& s);

}  // namespace trainyard
