#include "trainyard/study/thread_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/seed_statistics.hpp"
#include "trainyard/study/student.hpp"
#include "trainyard/study/unheard.hpp"

#include "study/left_out.hpp"

namespace trainyard {

namespace {

/// "hogwild{workers=4}", "local-sgd{period=16,workers=4}".
std::string typed(const std::string& way, int threads) {
  if (!way.ends_with('}')) return fmt::format("{}{{workers={}}}", way, threads);
  return fmt::format("{},workers={}}}", way.substr(0, way.size() - 1), threads);
}

/// What it typed, without the number of threads.
std::string way_of(std::string label, int threads) {
  for (const char* before : {"{", ","}) {
    const std::string setting = fmt::format("{}workers={}}}", before, threads);
    if (!label.ends_with(setting)) continue;
    label.erase(label.size() - setting.size());
    return *before == ',' ? label + "}" : label;
  }
  return label;
}

/// Of means over all seeds, where each has it.
std::optional<SampleStatistics> of_all(const SeedStatistics& runs, std::size_t seeds,
                                       std::optional<double> Summary::*figure) {
  const auto found = statistics_of(runs.summaries, [&](const Summary& s) { return s.*figure; });
  return found && found->count == seeds ? found : std::nullopt;
}

ThreadTime threads_time_of(const SeedStatistics& runs, std::size_t seeds) {
  const Summary& first = *runs.summaries.front();
  ThreadTime made{
      .way = way_of(runs.label, first.workers), .threads = first.workers, .step_size = first.lr};
  const auto rate = statistics_of(
      runs.summaries, [](const Summary& s) { return std::optional(s.samples_per_second); });
  if (rate) made.rate = rate->mean;
  made.unheard =
      std::ranges::any_of(runs.summaries, [](const Summary* s) { return came_unheard(*s); });
  if (made.unheard || runs.reached_target < seeds) return made;
  const auto seconds = of_all(runs, seeds, &Summary::seconds_to_target);
  const auto passes = of_all(runs, seeds, &Summary::epochs_to_target);
  if (!seconds || !passes) return made;
  made.seconds = seconds->mean;
  made.passes = passes->mean;
  if (seconds->deviation) {
    made.half_width = student_half_width(*seconds->deviation, seconds->count);
  }
  return made;
}

}  // namespace

const ThreadTime* ThreadTimes::alone() const {
  const auto found = std::ranges::find(ways, 1, &ThreadTime::threads);
  return found == ways.end() ? nullptr : &*found;
}

std::vector<int> thread_counts(int cores) {
  std::vector<int> counts;
  for (int threads = 1; threads < cores; threads *= 2) counts.push_back(threads);
  counts.push_back(cores);
  return counts;
}

std::vector<std::string> ways_to_share() {
  return {"hogwild", "hogwild-split", "local-sgd-sum", "local-sgd{period=16}",
          "all-reduce{collective=by-size}"};
}

ComparisonRequest thread_runs(const Configuration& of_data, int cores, int seeds) {
  ComparisonRequest request{.configuration = of_data, .contestants = {}};
  request.configuration.time = TimeMode::wall;
  request.configuration.network = {};
  request.configuration.compute_time.reset();
  request.configuration.stragglers.clear();
  request.configuration.compute_noise = {};
  request.configuration.ingredients.erase("byzantine");  // nobody lies to a thread beside it
  const auto add = [&](const std::string& way, int threads) {
    Contestant contestant = parse_contestants(typed(way, threads)).front();
    contestant.named = false;  // who cannot run so is left out, and the others are not
    request.contestants.push_back(std::move(contestant));
  };
  add("sequential", 1);  // which has one worker in any case
  for (const int threads : thread_counts(cores)) {
    for (const std::string& way : ways_to_share()) {
      if (threads > 1) add(way, threads);
    }
  }
  request.options = {.seeds = seeds, .step_sizes = StepSizes::tuned};
  return request;
}

std::string note_before_threads(const ComparisonRequest& thread_runs, const LoadedData& data) {
  const std::size_t others = thread_runs.contestants.size() - 1;
  const std::string ways =
      others == 0 ? "one thread is"
                  : "one thread and " + counted(others, "way", "ways") + " to share memory are";
  // How long threads wait for one another nobody knows before.
  return training_note(
      ways + " trained here, one after another", thread_runs, 0,
      fmt::format("some {} at the pace of one thread, longer where threads wait for one another",
                  long_duration(std::ceil(most_seconds(thread_runs, data, 1)))));
}

ThreadTimes thread_times(const ComparisonRequest& runs, const LoadedData& data,
                         const ComparisonHooks& hooks) {
  const Configuration& c = runs.configuration;
  const Machine machine = this_machine();
  ThreadTimes times{.target = target_text(*target_of(c)),
                    .machine = machine.description,
                    .cores = machine.cores,
                    .seeds = runs.options.seeds,
                    .most_passes = c.epochs.value_or(0.0)};
  const Compared compared = run_comparison(runs, data, hooks);
  times.left_out = left_out(compared);
  times.interrupted = !compared.lacking.empty();
  for (const SeedStatistics& each : seed_statistics(compared.runs)) {
    times.interrupted = times.interrupted || each.summaries.front()->interrupted;
    times.at_start = times.at_start || starts_at_target(each);
    times.ways.push_back(threads_time_of(each, static_cast<std::size_t>(times.seeds)));
  }
  if (times.at_start) {
    for (ThreadTime& way : times.ways) way.seconds = way.passes = std::nullopt;
  }
  std::ranges::stable_sort(times.ways, {}, [](const ThreadTime& way) {
    return way.seconds.value_or(std::numeric_limits<double>::infinity());
  });
  return times;
}

}  // namespace trainyard
