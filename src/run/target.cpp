#include "trainyard/run/target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trainyard {

std::optional<Target> target_of(const Configuration& c) {
  if (c.target_loss) return Target{Target::Measure::loss, *c.target_loss};
  if (c.target_accuracy) {
    return Target{Target::Measure::accuracy, *c.target_accuracy, !c.validation.empty()};
  }
  if (c.target_gradient) return Target{Target::Measure::gradient, *c.target_gradient};
  return std::nullopt;
}

std::string target_text(const Target& target) {
  const char* measure = target.measure == Target::Measure::loss ? "training loss"
                        : target.measure == Target::Measure::accuracy
                            ? (target.of_validation ? "validation accuracy" : "test accuracy")
                            : "squared gradient norm";
  return fmt::format("{} {:.6g}", measure, target.value);
}

namespace {

/// What the target is about; empty where there is no figure.
std::optional<double> measured(const Target& target, const Metrics& metrics) {
  switch (target.measure) {
    case Target::Measure::loss:
      return metrics.train_loss;
    case Target::Measure::accuracy:
      return target.of_validation ? metrics.validation_accuracy : metrics.test_accuracy;
    case Target::Measure::gradient:
      return metrics.squared_gradient_norm;
  }
  return std::nullopt;
}

}  // namespace

double distance(const Target& target, const Metrics& metrics) {
  const auto figure = measured(target, metrics);
  if (!figure || std::isnan(*figure)) return std::numeric_limits<double>::infinity();
  return target.measure == Target::Measure::accuracy ? target.value - *figure
                                                     : *figure - target.value;
}

bool is_reached(const Target& target, const Metrics& metrics) {
  return distance(target, metrics) <= 0.0;
}

namespace {

/// The part of the time between two evaluations in which no worker has learnt anything yet: from
/// the start until it has done a minibatch, one step of `after.step` each.
double first_step_of(const Metrics& before, const Metrics& after) {
  return before.step > 0.0 || after.step <= 0.0 ? 0.0 : std::min(1.0, 1.0 / after.step);
}

}  // namespace

std::optional<TargetCrossing> first_crossing(const Target& target,
                                             std::span<const Metrics> metrics) {
  const auto after =
      std::ranges::find_if(metrics, [&](const Metrics& each) { return is_reached(target, each); });
  if (after == metrics.end()) return std::nullopt;
  if (after == metrics.begin())
    return TargetCrossing{.seconds = after->seconds, .epochs = after->epoch};
  const auto before = std::prev(after);
  const double from = distance(target, *before), to = distance(target, *after);
  const double part =
      std::max(std::isfinite(from) ? from / (from - to) : 1.0, first_step_of(*before, *after));
  return TargetCrossing{.seconds = std::lerp(before->seconds, after->seconds, part),
                        .epochs = std::lerp(before->epoch, after->epoch, part),
                        .interval_s = after->seconds - before->seconds};
}

std::optional<double> arrival(const Target& target, std::span<const Metrics> metrics,
                              bool last_counts) {
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (!is_reached(target, metrics[i])) continue;
    const bool is_last = i + 1 == metrics.size();
    if (is_last ? !last_counts : !is_reached(target, metrics[i + 1])) continue;
    const std::size_t before = i == 0 ? 0 : i - 1;
    return first_crossing(target, metrics.subspan(before))->seconds;
  }
  return std::nullopt;
}

void set_target(const Target& target, std::span<const Metrics> metrics, Summary& summary) {
  summary.target_loss.reset();
  summary.target_accuracy.reset();
  summary.target_gradient.reset();
  (target.measure == Target::Measure::loss       ? summary.target_loss
   : target.measure == Target::Measure::accuracy ? summary.target_accuracy
                                                 : summary.target_gradient) = target.value;
  summary.seconds_to_target.reset();
  summary.epochs_to_target.reset();
  summary.target_interval_s.reset();
  if (const auto crossing = first_crossing(target, metrics)) {
    summary.seconds_to_target = crossing->seconds;
    summary.epochs_to_target = crossing->epochs;
    summary.target_interval_s = crossing->interval_s;
  }
}

}  // namespace trainyard
