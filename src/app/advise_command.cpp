#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/report/advice_format.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/thread_times_text.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/study/advice_map.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/target_times.hpp"
#include "trainyard/study/thread_times.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// As many runs of all passes as the step sizes come to that tuning tries of one
/// (study/tuning.hpp), where nobody comes to the target: then none ends early.
constexpr double runs_each = 8.0;

/// How long they take on this machine if none comes to the target, so many at once. What a look
/// takes is half a gradient's work for each row.
double seconds_at_most(const ComparisonRequest& runs, const LoadedData& data, int at_once) {
  const Configuration& c = runs.configuration;
  const auto model = make_model({model_name(c, data), c.l2, c.l1}, data.train);
  const double minibatch_s =
      to_seconds(measure_minibatch_time(*model, data.train, c.batch, c.optimizer));
  const double pass_s =
      minibatch_s * static_cast<double>(data.train.rows) / static_cast<double>(c.batch);
  const double looks = 0.5 / c.evaluate_every;
  const double all = runs_each * static_cast<double>(runs.contestants.size()) * runs.options.seeds;
  return all * c.epochs.value_or(1.0) * pass_s * (1.0 + looks) / at_once;
}

int status_of(bool interrupted) {
  return interrupted ? exit_interrupted : exit_done;
}

/// Says what is about to be trained, unless nobody wants to hear it.
void announce(const std::string& what, const ComparisonRequest& runs, const std::string& how_long,
              const AnswerOutput& output) {
  if (output.quiet) return;
  say(fmt::format("note: {}, each at its own best step size, with {}: {}\n", what,
                  counted(runs.options.seeds, "seed"), how_long));
}

std::string rounded_up(double seconds) {
  return long_duration(std::ceil(seconds));
}

TargetTimes trained(const Advice& advice, const AdviseRequest& request) {
  const AdvisedTraining& training = *request.training;
  const LoadedData data = load_dataset(dataset_request(training.configuration));
  const ComparisonRequest runs =
      target_runs(request.question, advice, training.configuration, training.seeds);
  check_advised_data(runs.configuration, data);
  const std::string ways = counted(runs.contestants.size(), "way to talk", "ways to talk");
  const int at_once = std::max(1, tbb::this_task_arena::max_concurrency());  // as a comparison's
  announce(ways + " are trained in simulated time", runs,
           fmt::format("up to some {} on this machine",
                       rounded_up(seconds_at_most(runs, data, at_once))),
           request.output);
  StatusLine status_line(request.output.progress_to());
  status_line.show("training " + ways);
  keep_results_when_interrupted();
  return times_to_target(advice, runs, data, {.interrupted = &interrupt_flag()});
}

int advise_on_one_machine(const AdviseRequest& request) {
  const Answer answer(request.output);
  const AdvisedTraining& training = request.training.value();
  const LoadedData data = load_dataset(dataset_request(training.configuration));
  const ComparisonRequest runs = thread_runs(training.configuration, request.cores, training.seeds);
  check_advised_data(runs.configuration, data);
  const std::size_t others = runs.contestants.size() - 1;
  const std::string ways =
      others == 0 ? "one thread"
                  : "one thread and " + counted(others, "way", "ways") + " to share memory";
  // How long threads wait for one another nobody knows before.
  announce(fmt::format("{} {} trained here, one after another", ways, others == 0 ? "is" : "are"),
           runs,
           fmt::format("some {} at the pace of one thread, longer where threads wait for one "
                       "another",
                       rounded_up(seconds_at_most(runs, data, 1))),
           request.output);
  StatusLine status_line(request.output.progress_to());
  status_line.show("training " + ways);
  keep_results_when_interrupted();
  const ThreadTimes times = thread_times(runs, data, {.interrupted = &interrupt_flag()});
  answer.give(PageKind::advice, "Which way to share memory",
              {.text = [&] { return thread_times_text(times); },
               .json = [&] { return thread_times_json(times); }});
  return status_of(times.interrupted);
}

}  // namespace

int advise_command(const AdviseRequest& request) {
  if (request.cores > 0) return advise_on_one_machine(request);
  const Answer answer(request.output);
  const Advice advice = advise(request.question);
  std::optional<TargetTimes> times;
  if (request.training) times = trained(advice, request);
  const TargetTimes* const soonest = times ? &*times : nullptr;
  const auto json = [&] {
    const auto map = advice_map(request.question, advice, soonest);
    return advice_json(request.question, advice, soonest, map ? &*map : nullptr);
  };
  answer.give(
      PageKind::advice, "What limits these workers",
      {.text = [&] { return advice_text(request.question, advice, soonest); }, .json = json});
  return status_of(times && times->interrupted);
}

}  // namespace trainyard::app
