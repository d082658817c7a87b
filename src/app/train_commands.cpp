#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/crossover_map_format.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/processes.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/processes.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"

#include "app/agreed.hpp"
#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/listeners.hpp"
#include "app/result_text.hpp"
#include "base/interrupt.hpp"
#include "base/standard_streams.hpp"
#include "run/host_data.hpp"
#include "study/relate.hpp"
#include "web/page.hpp"

namespace trainyard::app {

namespace {

/// The exit status, with a word on standard error when it is not 0.
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

/// run_program() has bound the program to what is available.
void use_memory_as(const Configuration& configuration) {
  if (configuration.force_memory) bound_memory(std::numeric_limits<std::size_t>::max());
}

/// With what its readers have to say.
HostData load(const Configuration& configuration, const RunHooks& hooks) {
  const DatasetRequest request = dataset_request(configuration);
  HostData loaded = hooks.processes == nullptr ? HostData{.data = load_dataset(request)}
                                               : load_once_a_host(request, *hooks.processes);
  for (const std::string& remark : loaded.data.remarks) hooks.remark(remark);
  return loaded;
}

/// What is asked for. A file may lie elsewhere on another host: of links what it holds is compared,
/// and of data what has been read.
std::string asked_text(Configuration c) {
  if (origin_of(c.dataset) == DataOrigin::file) c.dataset.clear();
  if (c.test != "every-fifth") c.test.clear();
  for (std::string* place : {&c.data_dir, &c.labels, &c.test_labels}) place->clear();
  c.network.links.file.clear();
  std::string text = run_command_text(c);
  for (const NamedLink& one : c.network.links.named) {
    text += fmt::format(" {},{},{},{}", one.from, one.to, one.link.latency.count(),
                        one.link.bytes_per_second);
  }
  return text;
}

/// Throws in all processes where one was started with other options than the leading one, as it may
/// be by hand.
void require_same_options(const Configuration& configuration, Processes* processes) {
  if (processes == nullptr) return;
  const std::string text = asked_text(configuration);
  const auto unlike = processes->first_unlike(fingerprint(std::as_bytes(std::span(text))));
  if (unlike.empty()) return;
  throw UsageError(
      unlike + " was started with other options than rank 0; all processes of a run take the same");
}

/// The same of what they have read.
void require_same_data(const LoadedData& data, Processes* processes) {
  if (processes == nullptr) return;
  const std::array<std::uint64_t, 7> shape{
      data.train.rows, data.train.features,  data.train.nonzeros(),
      data.test.rows,  data.test.nonzeros(), static_cast<std::uint64_t>(data.train.classes),
      data.content};
  const auto unlike = processes->first_unlike(fingerprint(std::as_bytes(std::span(shape))));
  if (unlike.empty()) return;
  throw DataError(
      fmt::format("{}: {} has read other data than rank 0; all processes of a run need the same",
                  data.name, unlike));
}

/// What all of them have.
HostData load_agreed(const Configuration& configuration, const RunHooks& hooks) {
  HostData loaded = agreed(hooks.processes, [&] { return load(configuration, hooks); });
  require_same_data(loaded.data, hooks.processes);
  return loaded;
}

/// Throws when it cannot be written: at once, and not when the program ends.
void print(const std::string& text, const std::string& format) {
  if (format == "table") {
    print_text(text);
  } else {
    fmt::print("{}", text);
  }
  flush_output();
}

/// Made before anything is computed: throws UsageError when it cannot be written.
std::optional<OutputFile> report_file(const Configuration& configuration) {
  if (configuration.html.empty()) return std::nullopt;
  return OutputFile("--html", configuration.html, configuration.force);
}

RunPlace place_of(const Configuration& c) {
  const std::string name = c.preset.empty() ? c.scheme : c.preset;
  return {.name = name, .folder = c.out.empty() ? c.out : c.out / name, .trace = c.trace};
}

/// What a run writes, open.
struct OpenedRun {
  OpenedRun(const Configuration& asked, Processes* processes)
      : place(place_of(asked)),
        report((check_outputs(place, asked.force), report_file(asked))),
        listeners(asked, place, true),
        hooks(listeners.hooks()) {
    hooks.processes = processes;
  }

  const RunPlace place;
  const std::optional<OutputFile> report;
  Listeners listeners;
  RunHooks hooks;
};

std::vector<Note> notes_of(const LoadedData& data) {
  std::vector<Note> notes;
  std::ranges::for_each(data.remarks, noting(notes));
  return notes;
}

/// Without what has no effect: that is of the command and not of the run, which a config.toml that
/// is fed back repeats to the byte.
std::vector<Note> of_run(std::vector<Note> notes, const Configuration& resolved) {
  const OptionSetting setting{resolved, find_scheme(resolved.scheme)};
  const std::vector<std::string> idle = idle_notes({&setting, 1}, resolved.given);
  std::erase_if(notes,
                [&](const Note& note) { return std::ranges::find(idle, note.text) != idle.end(); });
  return notes;
}

/// What is to be run.
struct PreparedRun {
  PreparedRun(const Configuration& asked, const LoadedData& data, const RunHooks& hooks)
      : notes(notes_of(data)),
        resolved(resolve(asked, {asked.scheme}, data, noting(notes, hooks.remark))),
        plan(plan_run(resolved, data, of_run(notes, resolved))) {
    if (hooks.processes == nullptr) return;
    check_processes(plan, hooks.processes->size());
    check_hosts(plan, hooks.processes->hosts());
  }

  std::vector<Note> notes;  // of its data, and of what was decided
  const Configuration resolved;
  const Plan plan;
};

/// A rank whose results the leading process prints.
int follow(const Configuration& asked, Processes& processes) {
  RunHooks hooks;
  hooks.remark = [](const std::string&) {};
  hooks.interrupted = &interrupt_flag();
  hooks.interrupt = note_interrupt;
  hooks.processes = &processes;
  processes.agree(nullptr);  // the leading one has opened what it writes
  require_same_options(asked, &processes);
  const HostData loaded = load_agreed(asked, hooks);
  const auto prepared =
      agreed(&processes, [&] { return std::make_unique<PreparedRun>(asked, loaded.data, hooks); });
  keep_results_when_interrupted();  // which the leading process has
  run_experiment(prepared->plan, hooks);
  return exit_done;
}

}  // namespace

int run_command(const Configuration& configuration, Processes* processes) {
  use_memory_as(configuration);
  if (processes != nullptr && !processes->leads()) return follow(configuration, *processes);
  const auto run =
      agreed(processes, [&] { return std::make_unique<OpenedRun>(configuration, processes); });
  require_same_options(configuration, processes);
  const HostData loaded = load_agreed(configuration, run->hooks);
  const auto prepared = agreed(processes, [&] {
    auto made = std::make_unique<PreparedRun>(configuration, loaded.data, run->hooks);
    run->listeners.begin(made->resolved);
    return made;
  });
  std::vector<RunResult> results;
  results.push_back(
      run->listeners.attempt([&] { return run_experiment(prepared->plan, run->hooks); }));
  if (const auto early = early_arrivals(results)) {
    noting(results.front().summary.notes, run->hooks.remark)(*early);
  }

  Failures failures;  // each of them costs only itself
  failures.attempt([&] { print(run_text(results, configuration.format), configuration.format); });
  failures.attempt([&] {
    if (!run->report) return;
    const std::string title = fmt::format("{} on {}", run->place.name, prepared->resolved.dataset);
    run->report->finish(html_page(PageKind::comparison, title, run_json(results.front())));
  });
  failures.attempt([&] { run->listeners.end(results.front()); });
  const int status = conclude(results);
  failures.rethrow();
  return status;
}

namespace {

/// Each run has a folder below --out, and a trace beside the others', with its label for a name.
RunPlace place_of(const Case& one) {
  const Configuration& c = one.configuration;
  const std::string name = file_name_of(one.label);
  RunPlace place{.name = name_of(one)};
  if (one.folder.string().starts_with("seed-")) {
    place.name += fmt::format(", seed {}", one.configuration.seed);
  }
  if (!c.out.empty()) place.folder = c.out / one.folder / name;
  if (c.trace.empty()) return place;
  std::string labels = name;
  for (const auto& part : one.folder) labels += fmt::format("-{}", part.string());
  place.trace = c.trace.parent_path() / fmt::format("{}-{}{}", c.trace.stem().string(), labels,
                                                    c.trace.extension().string());
  return place;
}

/// Nobody finds out after hours of the first runs that there is no place for the last.
void check_places(const std::vector<Case>& cases) {
  std::set<std::string> taken;
  for (const Case& one : cases) {
    const RunPlace place = place_of(one);
    for (const auto& path : {place.folder, place.trace}) {
      if (path.empty() || taken.insert(path.string()).second) continue;
      throw UsageError(
          fmt::format("two runs would be written to {}; a label tells them apart", path.string()));
    }
    check_outputs(place, one.configuration.force);
  }
}

/// What all runs of a comparison share.
struct Together {
  bool alone = true;  // one run at a time
  RunCount count{};
  Failures failures{};  // each of them costs only itself
  std::mutex mutex{};   // guards them
};

class CompareListener final : public CaseListener {
 public:
  CompareListener(const Case& one, Together& together)
      : listeners_(one.configuration, place_of(one), together.alone, &together.count),
        together_(together) {
    attempt([&] { listeners_.begin(one.configuration); });
  }
  RunHooks hooks() override { return listeners_.hooks(); }
  void ended(const RunResult& result) override {
    attempt([&] { listeners_.end(result); });
  }
  void failed(std::exception_ptr error) override {
    attempt([&] { listeners_.attempt([&] { std::rethrow_exception(error); }); });
  }

 private:
  template <typename Action>
  void attempt(const Action& action) {
    try {
      action();
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      const std::lock_guard lock(together_.mutex);
      together_.failures.attempt([&] { std::rethrow_exception(error); });
    }
  }

  Listeners listeners_;
  Together& together_;
};

}  // namespace

namespace {

/// Of all runs that belong together, each of which has its listener.
ComparisonHooks hooks_of(Listeners& overall, Together& together) {
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { overall.remark(text); };
  hooks.interrupted = &interrupt_flag();
  hooks.planned = [&together](const std::vector<Case>& cases, int jobs) {
    check_places(cases);
    together.alone = jobs == 1;
    together.count.all = together.count.ended + cases.size();  // a map has two comparisons
  };
  hooks.begins = [&together](const Case& one) {
    return std::make_unique<CompareListener>(one, together);
  };
  return hooks;
}

}  // namespace

int compare_command(const ComparisonRequest& request) {
  const Configuration& configuration = request.configuration;
  use_memory_as(configuration);
  Listeners overall(configuration, {.name = "compare"}, true);
  if (!configuration.out.empty()) refuse_unwritable(configuration.out);  // before data are loaded
  const std::optional<OutputFile> report = report_file(configuration);
  Together together;
  const Compared compared = run_comparison(request, hooks_of(overall, together));
  Failures& failures = together.failures;
  if (compared.runs.empty()) failures.rethrow();
  failures.attempt([&] {
    print(comparison_text(compared, request.options, configuration.format), configuration.format);
  });
  failures.attempt([&] {
    if (!report) return;
    const std::string title = fmt::format("Schemes on {}", configuration.dataset);
    report->finish(
        html_page(PageKind::comparison, title, comparison_text(compared, request.options, "json")));
  });
  const int status = conclude(compared.runs);
  failures.rethrow();
  return status;
}

int map_command(const MapRequest& request) {
  const Configuration& configuration = request.comparison.configuration;
  check_map_format(configuration.format);
  use_memory_as(configuration);
  Listeners overall(configuration, {.name = "compare"}, true);
  const std::optional<OutputFile> report = report_file(configuration);
  Together together;
  const CrossoverMap map = crossover_map(request, hooks_of(overall, together));
  together.failures.attempt([&] {
    const std::string& format = configuration.format;
    if (format == "json") return print(crossover_map_json(map), format);
    if (format == "csv") return print(crossover_map_csv(map), format);
    print(crossover_map_table(map), "table");
  });
  together.failures.attempt([&] {
    if (!report) return;
    report->finish(html_page(PageKind::map, "Who is first where", crossover_map_json(map)));
  });
  const int status = conclude({});
  together.failures.rethrow();
  return status;
}

}  // namespace trainyard::app
