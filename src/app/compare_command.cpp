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
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"
#include "trainyard/web/page.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/listeners.hpp"
#include "app/one_run.hpp"
#include "app/result_text.hpp"

namespace trainyard::app {

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

/// The state that all runs of a comparison share.
struct Together {
  bool alone = true;  // one run at a time
  RunCount count{};
  Failures failures{};  // each of them costs only itself
  std::mutex mutex{};   // guards them
};

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

/// Hooks of all runs that belong together; each has a listener of its own.
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
  refuse_checkpoints(configuration);
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
