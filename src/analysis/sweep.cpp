#include "trainyard/analysis/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr double narrow_enough = 1.001;

std::string spelled_size(std::string_view text, std::string_view what) {
  const std::uint64_t bytes = parse_bytes(text, what);
  if (bytes < sizeof(float)) {
    throw UsageError(fmt::format("{}: {} is less than one float, 4 bytes", what, echoed(text)));
  }
  return fmt::format("{}B", bytes);
}

/// A duration, as there is no machine to measure on.
std::string spelled_compute_time(std::string_view text, std::string_view what) {
  std::string spelled = any_option()("compute-time")(text, what);
  if (spelled != "auto") return spelled;
  throw UsageError(fmt::format("{}: {} is no duration, like 3ms", what, echoed(text)));
}

/// By more than the two may be off.
bool is_shorter(const Prediction& one, const Prediction& other) {
  return one.step_s + one.step_error_s < other.step_s - other.step_error_s;
}

SweepPoint point_at(const OptionText& value, const std::vector<Contestant>& contestants,
                    PredictionSetting setting) {
  set_quantity(setting, value);
  SweepPoint point{.text = value.text, .value = {}, .predictions = {}};
  for (const Contestant& contestant : contestants) {
    const auto index = static_cast<int>(point.predictions.size());
    point.predictions.push_back(predict(contestant, setting));
    const Prediction& latest = point.predictions.back();
    if (!latest.is_played || latest.messages == 0.0) continue;
    const bool first = point.cheapest < 0;
    if (first || is_shorter(latest, point.predictions[static_cast<std::size_t>(point.cheapest)])) {
      point.cheapest = index;
    }
  }
  return point;
}

/// REQUIRES: the two points have different cheapest contestants, and values.
Crossing crossing_between(const SweepResult& sweep, const SweepPoint& low, const SweepPoint& high,
                          const std::vector<Contestant>& contestants,
                          const PredictionSetting& setting) {
  const Contestant& before = contestants[static_cast<std::size_t>(low.cheapest)];
  const Contestant& after = contestants[static_cast<std::size_t>(high.cheapest)];
  Crossing crossing{*low.value, *high.value, before.label, after.label};
  if (sweep.line.counts || crossing.low <= 0.0 || !std::isfinite(crossing.high)) return crossing;
  while (crossing.high > narrow_enough * crossing.low) {
    const double middle = std::sqrt(crossing.low * crossing.high);
    const OptionText there{sweep.variation.option, sweep.line.measure->exact(middle)};
    const bool still = point_at(there, {before, after}, setting).cheapest == 0;
    (still ? crossing.low : crossing.high) = middle;
  }
  return crossing;
}

/// With the values, where they have a measure, and then in their order.
void measure(SweepResult& sweep) {
  if (sweep.line.measure == nullptr) return;
  for (SweepPoint& point : sweep.points) {
    point.value = sweep.line.measure->read(point.text, sweep.variation.option);
  }
  std::ranges::stable_sort(sweep.points, {}, &SweepPoint::value);
}

}  // namespace

FindVaried predicted_quantities() {
  return [](const std::string& name) -> Spelling {
    if (name == "size") return spelled_size;
    if (name == "compute-time") return spelled_compute_time;
    std::vector<std::string> known{"size"};
    for (const Option* option : options_taken_by(taker::predict)) known.push_back(option->name);
    if (std::ranges::find(known, name) != known.end()) return any_option()(name);
    const std::string nearest = nearest_name(name, known);
    throw UsageError(
        fmt::format("--vary: {} is nothing that a prediction varies{}", echoed(name),
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  };
}

void set_quantity(PredictionSetting& setting, const OptionText& value) {
  if (value.option == "size") {
    setting.parameters = parse_bytes(value.text, "--size") / sizeof(float);
    return;
  }
  apply({value}, setting.configuration);
  setting.configuration.given.push_back(value.option);  // and not what a system sets
}

SweepResult sweep(const Variation& variation, const std::vector<Contestant>& contestants,
                  const PredictionSetting& setting, const std::atomic<bool>* interrupted) {
  SweepResult result{
      .variation = variation, .line = line_of(variation, predicted_quantities()), .points = {}};
  for (const std::string& text : variation.values) {
    if (interrupted != nullptr && interrupted->load()) throw Interrupted("interrupted");
    result.points.push_back(point_at({variation.option, text}, contestants, setting));
  }
  measure(result);
  for (std::size_t i = 1; i < result.points.size() && result.line.measure != nullptr; ++i) {
    const SweepPoint &low = result.points[i - 1], &high = result.points[i];
    if (low.cheapest < 0 || high.cheapest < 0 || low.cheapest == high.cheapest) continue;
    result.crossings.push_back(crossing_between(result, low, high, contestants, setting));
  }
  return result;
}

}  // namespace trainyard
