#include "trainyard/study/target_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/seed_statistics.hpp"
#include "trainyard/study/student.hpp"
#include "trainyard/study/unheard.hpp"

#include "study/left_out.hpp"

namespace trainyard {

namespace {

/// The fastest of those that learn as one, and all others.
std::vector<const AdvisedScheme*> who_runs(const Advice& advice) {
  std::vector<const AdvisedScheme*> all;
  for (const AdvisedScheme& scheme : advice.schemes) {
    if (scheme.as_one && !all.empty() && all.front()->as_one) continue;
    all.push_back(&scheme);
  }
  return all;
}

TargetTime time_of(const SeedStatistics& runs, std::size_t seeds) {
  TargetTime made{.label = runs.label, .step_size = runs.summaries.front()->lr};
  made.unheard =
      std::ranges::any_of(runs.summaries, [](const Summary* s) { return came_unheard(*s); });
  if (made.unheard || runs.reached_target < seeds) return made;
  const auto passes =
      statistics_of(runs.summaries, [](const Summary& s) { return s.epochs_to_target; });
  if (!passes || passes->mean == 0.0) return made;  // the start is there
  made.passes = passes->mean;
  if (passes->deviation) made.half_width = student_half_width(*passes->deviation, passes->count);
  return made;
}

/// Between two looks there is a step of all workers at least.
double passes_of_step(const Configuration& c, const LoadedData& data) {
  return static_cast<double>(c.batch) * c.workers / static_cast<double>(data.train.rows);
}

/// With the passes of whoever ran, at its own rate.
TargetTime at_rate(TargetTime measured, const AdvisedScheme& scheme, std::size_t rows) {
  measured.label = scheme.prediction.contestant.label;
  if (measured.passes) {
    measured.seconds = *measured.passes * static_cast<double>(rows) / scheme.rate;
  }
  return measured;
}

}  // namespace

ComparisonRequest target_runs(const AdviceQuestion& question, const Advice& advice,
                              const Configuration& of_data, int seeds) {
  ComparisonRequest request{.configuration = on_machines_of(question, of_data), .contestants = {}};
  request.configuration.time = TimeMode::simulated;
  for (const AdvisedScheme* scheme : who_runs(advice)) {
    request.contestants.push_back(scheme->prediction.contestant);
    // Who cannot run so is left out, and the others are not.
    request.contestants.back().named = false;
  }
  request.options = {.seeds = seeds, .step_sizes = StepSizes::tuned};
  return request;
}

std::string note_before(const ComparisonRequest& target_runs, const LoadedData& data) {
  const int at_once = std::max(1, tbb::this_task_arena::max_concurrency());  // as a comparison's
  return training_note(
      counted(target_runs.contestants.size(), "way to talk is", "ways to talk are") +
          " trained in simulated time",
      target_runs,
      fmt::format("up to some {} on this machine",
                  long_duration(std::ceil(most_seconds(target_runs, data, at_once)))));
}

TargetTimes times_to_target(const Advice& advice, const ComparisonRequest& runs,
                            const LoadedData& data, const ComparisonHooks& hooks) {
  const Configuration& c = runs.configuration;
  TargetTimes times{.target = target_text(*target_of(c)),
                    .rows = data.train.rows,
                    .seeds = runs.options.seeds,
                    .most_passes = c.epochs.value_or(0.0),
                    .evaluate_every = std::max(c.evaluate_every, passes_of_step(c, data))};
  const Compared compared = run_comparison(runs, data, hooks);
  times.left_out = left_out(compared);
  times.interrupted = !compared.lacking.empty();
  std::vector<TargetTime> measured;
  for (const SeedStatistics& each : seed_statistics(compared.runs)) {
    times.interrupted = times.interrupted || each.summaries.front()->interrupted;
    times.at_start = times.at_start || starts_at_target(each);
    measured.push_back(time_of(each, static_cast<std::size_t>(times.seeds)));
  }
  for (const AdvisedScheme& scheme : advice.schemes) {
    const std::string& label = scheme.prediction.contestant.label;
    const std::string& runner =
        scheme.as_one ? runs.contestants.front().label : label;  // it leads who_runs()
    const auto found = std::ranges::find(measured, runner, &TargetTime::label);
    if (found != measured.end()) times.ways.push_back(at_rate(*found, scheme, times.rows));
  }
  std::ranges::stable_sort(times.ways, {}, [](const TargetTime& way) {
    return way.seconds.value_or(std::numeric_limits<double>::infinity());
  });
  return times;
}

}  // namespace trainyard
