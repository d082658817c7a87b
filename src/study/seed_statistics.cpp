#include "trainyard/study/seed_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

void add(const Summary& summary, SeedStatistics& statistics) {
  statistics.seeds.push_back(summary.seed);
  statistics.summaries.push_back(&summary);
  statistics.diverged += summary.diverged ? 1 : 0;
  statistics.reached_target += summary.seconds_to_target ? 1 : 0;
}

}  // namespace

std::vector<SeedStatistics> seed_statistics(const std::vector<RunResult>& results) {
  std::vector<SeedStatistics> statistics;
  const auto statistics_of_runs_like = [&](const Summary& s) {
    const auto found = std::ranges::find_if(statistics, [&](const SeedStatistics& other) {
      return other.label == s.label && other.varied == s.varied;
    });
    if (found != statistics.end()) return found;
    statistics.push_back({.label = s.label, .varied = s.varied, .seeds = {}, .summaries = {}});
    return std::prev(statistics.end());
  };
  for (const bool interrupted : {false, true}) {
    for (const RunResult& result : results) {
      const auto statistics = statistics_of_runs_like(result.summary);
      const bool counts = interrupted ? statistics->summaries.empty() : true;
      if (result.summary.interrupted == interrupted && counts) add(result.summary, *statistics);
    }
  }
  return statistics;
}

std::optional<SampleStatistics> statistics_of(const std::vector<const Summary*>& summaries,
                                              const Figure& figure) {
  return statistics_of(summaries, [&](const Summary& s) { return number_of(figure.of(s)); });
}

std::optional<SampleStatistics> statistics_of(
    const std::vector<const Summary*>& summaries,
    FunctionRef<std::optional<double>(const Summary&)> number) {
  std::vector<double> values;
  for (const Summary* summary : summaries) {
    if (const std::optional<double> value = number(*summary)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  // From the first value, so that equal ones have exactly their mean, and no deviation.
  double off_first = 0.0;
  for (const double value : values) off_first += value - values.front();
  SampleStatistics statistics{
      .mean = values.front() + off_first / count, .deviation = {}, .count = values.size()};
  if (values.size() == 1) return statistics;
  double squares = 0.0;
  for (const double value : values)
    squares += (value - statistics.mean) * (value - statistics.mean);
  statistics.deviation = std::sqrt(squares / (count - 1.0));
  return statistics;
}

}  // namespace trainyard
