#include "trainyard/experiment/spread.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

void add(const Summary& summary, SchemeSpread& spread) {
  spread.seeds.push_back(summary.seed);
  spread.summaries.push_back(&summary);
  spread.diverged += summary.diverged ? 1 : 0;
  spread.reached_target += summary.seconds_to_target ? 1 : 0;
}

}  // namespace

const std::vector<Figure>& figures() {
  using S = Summary;
  using Value = std::optional<double>;
  static const std::vector<Figure> table{
      {"train_loss", [](const S& s) -> Value { return s.train_loss; }},
      {"test_loss", [](const S& s) { return s.test_loss; }},
      {"test_accuracy", [](const S& s) { return s.test_accuracy; }},
      {"seconds_to_target", [](const S& s) { return s.seconds_to_target; }},
      {"epochs_to_target", [](const S& s) { return s.epochs_to_target; }},
      {"seconds", [](const S& s) -> Value { return s.seconds; }},
      {"epochs", [](const S& s) -> Value { return s.epochs; }},
      {"compute_s", [](const S& s) -> Value { return s.compute_s; }},
      {"transfer_s", [](const S& s) -> Value { return s.transfer_s; }},
      {"wait_s", [](const S& s) -> Value { return s.wait_s; }},
      {"bytes_sent", [](const S& s) -> Value { return static_cast<double>(s.bytes_sent); }},
      {"messages", [](const S& s) -> Value { return static_cast<double>(s.messages); }},
      {"staleness_mean",
       [](const S& s) { return s.staleness ? Value(s.staleness->mean) : std::nullopt; }},
      {"consensus_distance", [](const S& s) { return s.consensus_distance; }},
      {"samples_per_second", [](const S& s) -> Value { return s.samples_per_second; }},
  };
  return table;
}

std::vector<SchemeSpread> spreads_of(const std::vector<RunResult>& results) {
  std::vector<SchemeSpread> spreads;
  const auto spread_of_scheme = [&](const std::string& scheme) {
    const auto found = std::ranges::find(spreads, scheme, &SchemeSpread::scheme);
    if (found != spreads.end()) return found;
    spreads.push_back({.scheme = scheme, .seeds = {}, .summaries = {}});
    return std::prev(spreads.end());
  };
  for (const bool interrupted : {false, true}) {
    for (const RunResult& result : results) {
      const auto spread = spread_of_scheme(result.summary.scheme);
      const bool counts = interrupted ? spread->summaries.empty() : true;
      if (result.summary.interrupted == interrupted && counts) add(result.summary, *spread);
    }
  }
  return spreads;
}

std::optional<Spread> spread_of(const std::vector<const Summary*>& summaries,
                                std::optional<double> (*figure)(const Summary&)) {
  std::vector<double> values;
  for (const Summary* summary : summaries) {
    if (const std::optional<double> value = figure(*summary)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  // From the first value, so that equal ones have exactly their mean, and no deviation.
  double off_first = 0.0;
  for (const double value : values) off_first += value - values.front();
  Spread spread{
      .mean = values.front() + off_first / count, .deviation = {}, .count = values.size()};
  if (values.size() == 1) return spread;
  double squares = 0.0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1.0));
  return spread;
}

}  // namespace trainyard
