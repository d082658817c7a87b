#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/analysis/timeline.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/settings_text.hpp"

namespace trainyard {

namespace {

/// What a rank computes, and in between it waits.
std::vector<TracedSpan> spans_of(const std::vector<GoalOperation>& operations,
                                 const std::vector<GoalTimes>& times, Time until) {
  std::vector<TracedSpan> computing;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const bool is_calc = operations[i].kind == GoalOperation::Kind::calc;
    if (!is_calc || times[i].begun == times[i].ended) continue;
    computing.push_back({Activity::compute, times[i].begun, times[i].ended});
  }
  std::ranges::sort(computing, {}, &TracedSpan::from);
  std::vector<TracedSpan> spans;
  Time at{0};
  for (const TracedSpan& span : computing) {
    if (span.from > at) spans.push_back({Activity::wait, at, span.from});
    spans.push_back(span);
    at = span.until;
  }
  if (until > at) spans.push_back({Activity::wait, at, until});
  return spans;
}

RankTime time_of(const std::vector<TracedSpan>& spans, const std::vector<GoalTimes>& times) {
  RankTime time;
  for (const TracedSpan& span : spans) {
    if (span.activity == Activity::compute) time.computed += span.until - span.from;
  }
  for (const GoalTimes& one : times) time.ended = std::max(time.ended, one.ended);
  return time;
}

}  // namespace

Timeline timeline_of_schedule(const GoalSchedule& schedule, const Network& network) {
  GoalReplay replayed = replay(schedule, network);
  Timeline timeline;
  timeline.title = schedule.name;
  timeline.latency = network.latency;
  timeline.bytes_per_second = network.bytes_per_second;
  timeline.detail =
      fmt::format("latency {}, bandwidth {}{}", human_duration(to_seconds(network.latency)),
                  bandwidth_text(network.bytes_per_second), clauses(unusual_settings(network)));
  Trace& trace = timeline.trace;
  trace.workers = static_cast<int>(schedule.ranks.size());
  trace.ports = network.ports;
  trace.messages = std::move(replayed.messages);
  trace.until = replayed.until;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<GoalTimes>& times = replayed.operations[rank];
    trace.spans.push_back(spans_of(schedule.ranks[rank], times, trace.until));
    timeline.rank_times.push_back(time_of(trace.spans.back(), times));
    timeline.names.push_back(fmt::format("rank {}", rank));
  }
  return timeline;
}

}  // namespace trainyard
