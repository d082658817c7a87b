#include "run/figure_text.hpp"

#include <cmath>

#include "trainyard/base/units.hpp"
#include "trainyard/run/figures.hpp"

namespace trainyard {

namespace {

std::optional<double> percent(double part, double whole) {
  return whole > 0.0 ? std::optional(100.0 * part / whole) : std::nullopt;
}

std::string share(double part, double whole) {
  const std::optional<double> value = percent(part, whole);
  return value ? percent_text(*value) : "-";
}

}  // namespace

bool is_stretched(const Summary& summary) {
  constexpr double noise = 1.05;
  constexpr double shortest = 0.01;  // seconds of computing; before that it is how threads wake
  return summary.compute_stretch && *summary.compute_stretch > noise &&
         summary.compute_s >= shortest;
}

std::string loss_text(double value) {
  return value != 0.0 && std::abs(value) < 1e-3 ? fmt::format("{:.3g}", value) : decimals<5>(value);
}

std::string ratio_text(double value) {
  return value > 0.0 && value < 0.1 ? fmt::format("{:.2g}", value) : decimals<2>(value);
}

std::string percent_text(double value) {
  return fmt::format("{:.0f} %", value);
}

std::string joules_text(double value) {
  return fmt::format("{:.4g} J", value);
}

std::optional<double> share_of_run(double part, const Summary& s) {
  return percent(part, s.seconds);
}

std::string part_of_run(double part, const Summary& s) {
  return fmt::format("{} ({})", human_duration(part), share(part, s.seconds));
}

std::optional<double> coding_share(const Summary& s) {
  return s.coding_s ? share_of_run(*s.coding_s, s) : std::nullopt;
}

std::string coding_line(const Summary& s) {
  return s.coding_s ? part_of_run(*s.coding_s, s) : "";
}

std::string compute_line(const Summary& s) {
  std::string line = part_of_run(s.compute_s, s);
  if (s.lines_s) line += fmt::format(", {} of it for cache lines", part_of_run(*s.lines_s, s));
  if (!is_stretched(s)) return line;
  return line + fmt::format(", stretched {:.2f} times: its threads had no cores of their own",
                            *s.compute_stretch);
}

std::string samples_computed_line(const Summary& s) {
  if (s.samples_computed <= s.samples) return "";
  const auto used = static_cast<double>(s.samples);
  const auto computed = static_cast<double>(s.samples_computed);
  return fmt::format("{}, and {} of them used", human_count(computed), share(used, computed));
}

std::string gradients_line(const Summary& s) {
  if (s.rows == 0) return fmt::format("{}", s.gradients);
  return fmt::format("{} of {} rows, {:.4g} passes over the data", s.gradients, s.batch,
                     static_cast<double>(s.samples_computed) / static_cast<double>(s.rows));
}

std::string linear_rate_line(const Summary& s) {
  if (!s.linear_rate) return "";
  return fmt::format("{:.6g} ± {:.1g} a pass", *s.linear_rate, s.linear_rate_error.value_or(0.0));
}

std::string time_to_target_line(const Summary& s) {
  if (!s.target_loss && !s.target_accuracy && !s.target_gradient) return "";
  const bool reached = s.seconds_to_target && !s.diverged;
  return reached ? human_duration(*s.seconds_to_target) : without_target(s);
}

std::string staleness_line(const Summary& s) {
  if (!s.staleness) return "";
  return fmt::format("mean {:.2f}, p50 {}, p99 {}, max {}", s.staleness->mean, s.staleness->p50,
                     s.staleness->p99, s.staleness->max);
}

std::string consensus_line(const Summary& s) {
  return s.consensus_distance ? significant<2>(*s.consensus_distance) : "";
}

std::string without_target(const Summary& s) {
  return s.diverged ? "diverged" : "never";
}

}  // namespace trainyard
