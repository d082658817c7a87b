#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/same_file.hpp"
#include "trainyard/report/comparison_folder.hpp"
#include "trainyard/report/curves_svg.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"
#include "trainyard/study/repeated_notes.hpp"
#include "trainyard/web/page.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/listeners.hpp"
#include "app/one_run.hpp"
#include "app/result_text.hpp"

namespace trainyard::app {

namespace {

/// Each run has a folder below --out, and a trace beside the others', with its label for a name.
/// `goes_on`: what an earlier process has left of the run makes room for it.
RunPlace place_of(const Case& one, bool goes_on) {
  const Configuration& c = one.configuration;
  const std::string name = file_name_of(one.label);
  RunPlace place{.name = name_of(one), .is_made_again = goes_on};
  if (one.folder.string().starts_with("seed-")) {
    place.name += fmt::format(", seed {}", one.configuration.seed);
  }
  if (!c.out.empty()) place.folder = c.out / folder_of(one);
  if (c.trace.empty()) return place;
  std::string labels = name;
  for (const auto& part : one.folder) labels += fmt::format("-{}", part.string());
  place.trace = c.trace.parent_path() / fmt::format("{}-{}{}", c.trace.stem().string(), labels,
                                                    c.trace.extension().string());
  return place;
}

/// The state that all runs of a comparison share.
struct Together {
  bool goes_on = false;
  std::optional<ComparisonFolder> folder{};  // of --out
  bool alone = true;                         // one run at a time
  RunCount count{};
  std::optional<RepeatedNotes> repeated{};  // empty: every note is said as it comes
  Failures failures{};                      // each of them costs only itself
  std::mutex mutex{};                       // guards them
};

/// Nobody finds out after hours of the first runs that there is no place for the last.
void check_places(const std::vector<Case>& cases, const Together& together) {
  std::set<std::string> taken;
  for (const Case& one : cases) {
    const RunPlace place = place_of(one, together.goes_on);
    for (const auto& path : {place.folder, place.trace}) {
      if (path.empty() || taken.insert(path.string()).second) continue;
      throw UsageError(
          fmt::format("two runs would be written to {}; a label tells them apart", path.string()));
    }
    const bool has_ended = together.folder && together.folder->has_ended(one);
    if (!has_ended) check_outputs(place, one.configuration.force);
  }
}

/// What --continue does not go with.
void check_going_on(const Configuration& c) {
  if (c.out.empty()) {
    throw OptionError("continue", "it goes on with the comparison in a folder; --out names it");
  }
  if (!c.trace.empty()) {
    throw OptionError("continue", "runs that have ended cannot be traced; --trace is for others");
  }
}

void refuse_checkpoints(const Configuration& c) {
  const auto refuse = [](std::string_view option) {
    throw OptionError(option, "is for one run, of `trainyard run`");
  };
  if (!c.checkpoint.empty()) refuse("checkpoint");
  if (!c.resume.empty()) refuse("resume");
}

class CompareListener final : public CaseListener {
 public:
  CompareListener(const Case& one, Together& together)
      : listeners_(one.configuration, place_of(one, together.goes_on), together.alone,
                   &together.count),
        one_(one),
        together_(together) {
    attempt([&] { listeners_.begin(one.configuration); });
  }
  RunHooks hooks() override {
    RunHooks hooks = listeners_.hooks();
    hooks.remark = [this, says = hooks.remark](const std::string& text) {
      const bool is_kept_back =
          together_.repeated && is_note(text) && !together_.repeated->is_new(one_, text);
      if (!is_kept_back) says(text);
    };
    if (!together_.folder) return hooks;
    hooks.evaluated = [this, listens = hooks.evaluated](const Metrics& metrics) {
      listens(metrics);
      together_.folder->keep();
    };
    return hooks;
  }
  void keeps(Archive&& kept) override {
    if (!together_.folder) return;
    kept_ = std::move(kept);
    together_.folder->sign(*kept_);
  }
  void ended(const RunResult& result) override {
    attempt([&] { listeners_.end(result, kept_ ? &*kept_ : nullptr); });
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
  const Case& one_;
  Together& together_;
  std::optional<Archive> kept_;
};

}  // namespace

namespace {

/// Hooks of all runs that belong together; each has a listener of its own.
ComparisonHooks hooks_of(Listeners& overall, Together& together) {
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { overall.remark(text); };
  hooks.interrupted = &interrupt_flag();
  hooks.planned = [&](const std::vector<Case>& cases, int jobs) {
    std::optional<ComparisonFolder>& folder = together.folder;
    if (folder) folder->hold_against(cases, [&](const auto& text) { overall.remark(text); });
    check_places(cases, together);
    if (folder) folder->begin(cases);
    together.alone = jobs == 1;
    together.count.all = together.count.ended + cases.size();  // a map has two comparisons
  };
  hooks.begins = [&together](const Case& one) {
    return std::make_unique<CompareListener>(one, together);
  };
  if (!together.folder) return hooks;
  hooks.begun = [&together](const Case& one) { return together.folder->begun(one); };
  if (!together.goes_on) return hooks;
  hooks.ended_before = [&together](const Case& one) {
    std::optional<Archive> kept = together.folder->take_ended(one);
    if (kept) ++together.count.ended;
    return kept;
  };
  return hooks;
}

void note_idle_columns(const ComparisonRequest& request, Listeners& overall) {
  const std::string& format = request.configuration.format;
  const ComparisonOptions& options = request.options;
  if (!options.columns.empty() && (format == "json" || format == "csv")) {
    overall.remark(
        fmt::format("note: --table-columns has no effect: --format {} has all figures", format));
  }
  if (options.baseline.empty()) return;
  if (format != "markdown" && format != "latex") {
    overall.remark("note: --baseline has no effect: it marks tables of --format markdown or latex");
  } else if (options.seeds == 1) {
    overall.remark("note: --baseline has no effect: one seed tells nothing apart; --seeds 5 may");
  }
}

void check_baseline(const ComparisonOptions& options, const std::vector<Contestant>& contestants) {
  if (options.baseline.empty()) return;
  std::vector<std::string> labels;
  labels.reserve(contestants.size());
  for (const Contestant& contestant : contestants) labels.push_back(contestant.label);
  if (std::ranges::find(labels, options.baseline) != labels.end()) return;
  throw OptionError("baseline", options.baseline,
                    fmt::format("no contestant has this name; known: {}", joined(labels)));
}

}  // namespace

int compare_command(const ComparisonRequest& request, bool goes_on, const Picture& picture) {
  const Configuration& configuration = request.configuration;
  use_memory_as(configuration);
  refuse_checkpoints(configuration);
  check_baseline(request.options, request.contestants);
  if (goes_on) check_going_on(configuration);
  Together together;
  together.goes_on = goes_on;
  Listeners overall(configuration, {.name = "compare"}, true);
  if (!configuration.out.empty()) {  // before data are loaded
    refuse_unwritable(configuration.out);
    together.folder.emplace(configuration.out, goes_on);
  }
  if (!picture.file.empty() && names_one_file(picture.file, configuration.html)) {
    throw OptionError("svg", picture.file.string(), "--html writes this file");
  }
  note_idle_columns(request, overall);
  const std::optional<OutputFile> report = report_file(configuration);
  std::optional<OutputFile> curves;
  if (!picture.file.empty()) curves.emplace("--svg", picture.file, picture.overwrite);
  together.repeated.emplace(request.options.seeds > 1);
  const Compared compared = run_comparison(request, hooks_of(overall, together));
  for (const std::string& note : together.repeated->lines_left(compared.runs)) overall.remark(note);
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
  failures.attempt([&] {
    const std::string title = fmt::format("Schemes on {}", configuration.dataset);
    if (curves) curves->finish(curves_svg(compared.runs, title));
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
