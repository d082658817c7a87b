#include <optional>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/advice_format.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/thread_times_text.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/advice_map.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/target_times.hpp"
#include "trainyard/study/thread_times.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

int status_of(bool interrupted) {
  return interrupted ? exit_interrupted : exit_done;
}

TargetTimes trained(const Advice& advice, const LoadedData& data, const AdviseRequest& request) {
  const AdvisedTraining& training = *request.training;
  const ComparisonRequest runs =
      target_runs(request.question, advice, training.configuration, training.seeds);
  if (!request.output.quiet) say(note_before(runs, data, training.finalists) + "\n");
  StatusLine status_line(request.output.progress_to());
  status_line.show(fmt::format("training {} ways to talk", runs.contestants.size()));
  keep_results_when_interrupted();
  return times_to_target(advice, runs, data, {.interrupted = &interrupt_flag()},
                         training.finalists);
}

int advise_on_one_machine(const AdviseRequest& request) {
  const Answer answer(request.output);
  const AdvisedTraining& training = request.training.value();
  const LoadedData data = load_dataset(dataset_request(training.configuration));
  check_advised_data(training.configuration, data);
  const ComparisonRequest runs = thread_runs(training.configuration, request.cores, training.seeds);
  if (!request.output.quiet) say(note_before_threads(runs, data) + "\n");
  StatusLine status_line(request.output.progress_to());
  status_line.show("training ways to share memory");
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
  std::optional<LoadedData> data;
  if (request.training) {
    data = load_dataset(dataset_request(request.training->configuration));
    check_advised_data(on_machines_of(request.question, request.training->configuration), *data);
  }
  const Advice advice = advise(request.question);
  std::optional<TargetTimes> times;
  if (data) times = trained(advice, *data, request);
  const TargetTimes* const soonest = times ? &*times : nullptr;
  const auto json = [&] {
    const auto map = advice_map(request.question, advice, soonest);
    return advice_json(request.question, advice, soonest, map ? &*map : nullptr);
  };
  answer.give(
      PageKind::advice, "What limits these workers",
      {.text = [&] { return advice_text(request.question, advice, soonest); }, .json = json});
  return status_of(times && (times->interrupted || times->finals_interrupted));
}

}  // namespace trainyard::app
