#include "trainyard/study/advice_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trainyard/analysis/sweep.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

constexpr std::array factors{1.0 / 16.0, 1.0 / 4.0, 1.0, 4.0, 16.0};

/// One way to talk, and how many passes it needs.
struct Runner {
  const Contestant* contestant;
  double passes;
};

std::vector<Runner> runners_of(const Advice& advice, const TargetTimes* times) {
  std::vector<Runner> all;
  for (const AdvisedScheme& scheme : advice.schemes) {
    const Contestant& contestant = scheme.prediction.contestant;
    if (times == nullptr) {
      if (scheme.as_one) all.push_back({&contestant, 1.0});
      continue;
    }
    const auto way = std::ranges::find(times->ways, contestant.label, &TargetTime::label);
    if (way != times->ways.end() && way->passes) all.push_back({&contestant, *way->passes});
  }
  return all;
}

AdviceCell cell_of(const std::vector<Runner>& runners, const PredictionSetting& setting) {
  AdviceCell cell;
  double least = std::numeric_limits<double>::infinity(), next = least;
  for (const Runner& runner : runners) {
    const double step_s = predict(*runner.contestant, setting).step_s;
    const double time = step_s * runner.passes;
    if (time < least) {
      next = least;
      least = time;
      cell = {.first = runner.contestant->label, .step_s = step_s};
    } else {
      next = std::min(next, time);
    }
  }
  if (std::isfinite(next)) cell.ahead = next / least;
  return cell;
}

}  // namespace

std::optional<AdviceMap> advice_map(const AdviceQuestion& question, const Advice& advice,
                                    const TargetTimes* times) {
  PredictionSetting setting = question.setting;
  const Network& network = setting.configuration.network;
  // What is drawn takes a hundred times as long to predict.
  const bool is_plain = network.latency > Duration{0} && std::isfinite(network.bytes_per_second) &&
                        network.racks <= 1 && !network.is_irregular();
  const std::vector<Runner> runners = runners_of(advice, times);
  if (!is_plain || runners.empty()) return std::nullopt;
  play_smaller(setting);
  AdviceMap map{.by_passes = times != nullptr};
  for (const double factor : factors) {
    map.latencies_s.push_back(factor * to_seconds(network.latency));
    map.bytes_per_second.push_back(factor * network.bytes_per_second);
  }
  for (const double bytes_per_second : map.bytes_per_second) {
    for (const double latency_s : map.latencies_s) {
      PredictionSetting there = setting;
      set_quantity(there, {"latency", exact_text(seconds(latency_s))});
      set_quantity(there, {"bandwidth", bandwidth_text(bytes_per_second)});
      map.cells.push_back(cell_of(runners, there));
    }
  }
  return map;
}

}  // namespace trainyard
