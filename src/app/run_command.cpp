#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/checkpoint.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/relate.hpp"
#include "trainyard/web/page.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/one_run.hpp"
#include "app/process_run.hpp"
#include "app/read_files.hpp"
#include "app/result_text.hpp"

namespace trainyard::app {

namespace {

RunPlace place_of(const Configuration& c) {
  const std::string name = c.preset.empty() ? c.scheme : c.preset;
  return {.name = name, .folder = c.out.empty() ? c.out : c.out / name, .trace = c.trace};
}

std::vector<Note> notes_of(const LoadedData& data) {
  std::vector<Note> notes;
  std::ranges::for_each(data.remarks, noting(notes));
  return notes;
}

}  // namespace

void use_memory_as(const Configuration& configuration) {
  if (configuration.force_memory) bound_memory(std::numeric_limits<std::size_t>::max());
}

std::optional<OutputFile> report_file(const Configuration& configuration) {
  if (configuration.html.empty()) return std::nullopt;
  check_not_read("html", configuration.html, configuration);
  return OutputFile("--html", configuration.html, configuration.force);
}

void print(const std::string& text, const std::string& format) {
  if (format == "table") {
    print_text(text);
  } else {
    fmt::print("{}", text);
  }
  flush_output();
}

int conclude(const std::vector<RunResult>& results) {
  int status = exit_done;
  const bool seeds =
      !results.empty() && results.front().summary.seed != results.back().summary.seed;
  for (const RunResult& result : results) {
    const Summary& s = result.summary;
    if (!s.diverged) continue;
    status = exit_diverged;
    complain(fmt::format("{} diverged{}", name_at(s.label, s.varied),
                         seeds ? fmt::format(" with seed {}", s.seed) : ""));
  }
  // relaxed: a flag that a signal sets; nothing is published with it.
  if (interrupt_flag().load(std::memory_order_relaxed)) {
    status = exit_interrupted;
    complain("interrupted; these are the results so far");
  }
  return status;
}

std::optional<FoundCheckpoint> checkpoint_asked_for(const Configuration& asked) {
  if (asked.resume.empty()) return std::nullopt;
  return latest_checkpoint(asked.resume);
}

Configuration Resumption::configuration(const Configuration& asked) {
  return found_ ? resumed_configuration(*found_, asked) : asked;
}

void Resumption::put_into(RunHooks& hooks) {
  if (!found_) return;
  hooks.resumed = &found_->archive;
  if (hooks.remark) std::ranges::for_each(found_->remarks, hooks.remark);
}

OpenedRun::OpenedRun(const Configuration& asked)
    : place(place_of(asked)),
      report((check_outputs(place, asked.force), report_file(asked))),
      listeners(asked, place, true),
      hooks(listeners.hooks()) {}

PreparedRun::PreparedRun(const Configuration& asked, const LoadedData& data, const RunHooks& hooks)
    : notes(notes_of(data)), plan(prepare_run(asked, data, noting(notes, hooks.remark))) {
  plan.notes = without_idle_notes(notes, plan.configuration);
}

int train(OpenedRun& run, const PreparedRun& prepared) {
  const Configuration& resolved = prepared.plan.configuration;
  std::vector<RunResult> results;
  results.push_back(
      run.listeners.attempt([&] { return run_experiment(prepared.plan, run.hooks); }));
  if (const auto early = early_arrivals(results)) {
    noting(results.front().summary.notes, run.hooks.remark)(*early);
  }

  Failures failures;  // each of them costs only itself
  failures.attempt([&] { print(run_text(results, resolved.format), resolved.format); });
  failures.attempt([&] {
    if (!run.report) return;
    const std::string title = fmt::format("{} on {}", run.place.name, resolved.dataset);
    run.report->finish(html_page(PageKind::comparison, title, run_json(results.front())));
  });
  failures.attempt([&] { run.listeners.end(results.front()); });
  const int status = conclude(results);
  failures.rethrow();
  return status;
}

int run_command(const Configuration& asked, Processes* processes) {
  use_memory_as(asked);
  if (processes != nullptr) return run_among(asked, *processes);
  Resumption resumption(checkpoint_asked_for(asked));
  const Configuration configuration = resumption.configuration(asked);
  OpenedRun run(configuration);
  resumption.put_into(run.hooks);
  const LoadedData data = load_dataset(dataset_request(configuration));
  for (const std::string& remark : data.remarks) run.hooks.remark(remark);
  const PreparedRun prepared(configuration, data, run.hooks);
  run.listeners.begin(prepared.plan.configuration);
  return train(run, prepared);
}

}  // namespace trainyard::app
