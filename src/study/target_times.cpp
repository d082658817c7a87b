#include "trainyard/study/target_times.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/collated_notes.hpp"
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

/// All step sizes that were found for it.
std::vector<OptionText> tuned_of(const Summary& run) {
  if (!run.tuned.empty()) return run.tuned;
  return {{"lr", fmt::format("{}", run.lr)}};
}

/// Of runs of one contestant, what qualifies the time that they take.
std::vector<Note> remarks_of(const std::string& label, const Compared& compared) {
  std::vector<NotedRun> noted;
  for (const RunResult& run : compared.runs) {
    const Summary& s = run.summary;
    if (s.label == label) noted.push_back({s.label, s.label, s.seed, s.notes});
  }
  std::vector<Note> notes = collated_notes(noted);
  std::ranges::copy_if(compared.notes, std::back_inserter(notes),
                       [&](const Note& note) { return note.about == label; });
  std::erase_if(notes, [](const Note& note) {
    return note.text.find("some never come") == std::string::npos &&
           note.text.find(" step size than ") == std::string::npos;
  });
  for (Note& note : notes) note.about.clear();  // the way's own
  return notes;
}

TargetTime time_of(const SeedStatistics& runs, std::size_t seeds) {
  TargetTime made{.label = runs.label,
                  .step_size = runs.summaries.front()->lr,
                  .seeds = static_cast<int>(seeds)};
  made.settings = tuned_of(*runs.summaries.front());
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
  const Contestant& contestant = scheme.prediction.contestant;
  measured.label = contestant.label;
  measured.scheme = contestant.scheme;
  measured.settings.insert(measured.settings.begin(), contestant.settings.begin(),
                           contestant.settings.end());
  if (measured.passes) {
    measured.seconds = *measured.passes * static_cast<double>(rows) / scheme.rate;
  }
  return measured;
}

/// Ways to talk on their way to the target.
class Race {
 public:
  Race(const Advice& advice, const ComparisonRequest& runs, const LoadedData& data,
       const ComparisonHooks& hooks)
      : advice_(advice), runs_(runs), data_(data), hooks_(hooks) {
    const Configuration& c = runs.configuration;
    times_ = {.target = target_text(*target_of(c)),
              .rows = data.train.rows,
              .seeds = runs.options.seeds,
              .most_passes = c.epochs.value_or(0.0),
              .evaluate_every = std::max(c.evaluate_every, passes_of_step(c, data))};
  }

  /// Those that run take the places that they had. False where some have not run with all seeds.
  bool run(const ComparisonRequest& request);

  /// The first, those that are at most so many times as late, and those whose interval reaches its:
  /// of them those that have fewer seeds. None where the first is alone and `not_far` is 1.
  std::vector<Contestant> who_may_be_first(int seeds, double not_far) const;

  TargetTimes take() { return std::move(times_); }

 private:
  /// The contestant that runs for it: one for all that learn as one, which leads who_runs().
  const std::string& runner_of(const AdvisedScheme& scheme) const {
    return scheme.as_one ? runs_.contestants.front().label : scheme.prediction.contestant.label;
  }
  void rank();

  const Advice& advice_;
  const ComparisonRequest& runs_;
  const LoadedData& data_;
  const ComparisonHooks& hooks_;
  std::map<std::string, TargetTime> measured_;  // by who ran
  TargetTimes times_;
};

bool Race::run(const ComparisonRequest& request) {
  const Compared compared = run_comparison(request, data_, hooks_);
  const bool is_first = measured_.empty();
  if (is_first) times_.left_out = left_out(compared);
  const auto seeds = static_cast<std::size_t>(request.options.seeds);
  std::size_t whole = 0;  // contestants that ran with all seeds
  for (const SeedStatistics& each : seed_statistics(compared.runs)) {
    const bool is_whole = each.summaries.size() == seeds &&
                          std::ranges::none_of(each.summaries, &Summary::interrupted);
    times_.at_start = times_.at_start || starts_at_target(each);
    if (is_whole) ++whole;
    if (!is_whole && !is_first) continue;  // its time of fewer seeds stays
    TargetTime time = time_of(each, seeds);
    time.remarks = remarks_of(each.label, compared);
    measured_.insert_or_assign(each.label, std::move(time));
  }
  const bool all_ran = whole + compared.left_out.size() == request.contestants.size();
  (is_first ? times_.interrupted : times_.finals_interrupted) |= !all_ran;
  rank();
  return whole == request.contestants.size();
}

void Race::rank() {
  times_.ways.clear();
  for (const AdvisedScheme& scheme : advice_.schemes) {
    const auto found = measured_.find(runner_of(scheme));
    if (found != measured_.end())
      times_.ways.push_back(at_rate(found->second, scheme, times_.rows));
  }
  std::ranges::stable_sort(times_.ways, {}, [](const TargetTime& way) {
    return way.seconds.value_or(std::numeric_limits<double>::infinity());
  });
}

std::vector<Contestant> Race::who_may_be_first(int seeds, double not_far) const {
  std::vector<Contestant> all;
  if (times_.ways.empty() || !times_.ways.front().seconds || times_.at_start) return all;
  const TargetTime& first = times_.ways.front();
  const auto is_near = [&](const TargetTime& way) {
    return way.seconds && (*way.seconds <= not_far * *first.seconds || is_open(first, way));
  };
  if (not_far == 1.0 && std::ranges::count_if(times_.ways, is_near) == 1) return all;
  for (const TargetTime& way : times_.ways) {
    if (!is_near(way) || way.seeds >= seeds) continue;
    const auto scheme = std::ranges::find(advice_.schemes, way.label, [](const AdvisedScheme& one) {
      return one.prediction.contestant.label;
    });
    const std::string& runner = runner_of(*scheme);
    if (std::ranges::count(all, runner, &Contestant::label) > 0) continue;
    all.push_back(*std::ranges::find(runs_.contestants, runner, &Contestant::label));
  }
  return all;
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

bool is_open(const TargetTime& first, const TargetTime& second) {
  if (first.passes == second.passes) return false;
  const auto part = [](const TargetTime& way) {
    return way.half_width.value_or(0.0) / *way.passes;
  };
  return *first.seconds * (1.0 + part(first)) >= *second.seconds * (1.0 - part(second));
}

std::string note_before(const ComparisonRequest& target_runs, const LoadedData& data,
                        int finalists) {
  const int at_once = std::max(1, tbb::this_task_arena::max_concurrency());  // as a comparison's
  const bool has_finals = finalists > target_runs.options.seeds;
  // Of a third of the ways, and again of a sixth: more are seldom near the first.
  const double finals = has_finals ? static_cast<double>(finalists) / target_runs.options.seeds *
                                         (1.0 / 3.0 + times_more_where_open / 6.0)
                                   : 0.0;
  const double seconds = (1.0 + finals) * most_seconds(target_runs, data, at_once);
  return training_note(
      counted(target_runs.contestants.size(), "way to talk is", "ways to talk are") +
          " trained in simulated time",
      target_runs, finalists,
      fmt::format("up to some {} on this machine", long_duration(std::ceil(seconds))));
}

TargetTimes times_to_target(const Advice& advice, const ComparisonRequest& runs,
                            const LoadedData& data, const ComparisonHooks& hooks, int finalists) {
  Race race(advice, runs, data, hooks);
  race.run(runs);
  const auto finals = [&](int seeds, double not_far) {
    for (bool goes_on = true; goes_on;) {
      ComparisonRequest again = runs;
      again.options.seeds = seeds;
      again.contestants = race.who_may_be_first(seeds, not_far);
      goes_on = !again.contestants.empty() && race.run(again);
    }
  };
  if (finalists > runs.options.seeds) {
    finals(finalists, 1.5);
    finals(times_more_where_open * finalists, 1.0);
  }
  return race.take();
}

}  // namespace trainyard
