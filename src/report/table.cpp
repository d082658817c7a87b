#include <algorithm>

#include <fmt/format.h>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/seed_statistics.hpp"

#include "report/aligned.hpp"

namespace trainyard {

namespace {

using Row = TableRow;

/// What to make of times that were taken while threads shared cores.
std::string stretch_notes(const std::vector<RunResult>& results) {
  std::string text;
  for (const RunResult& result : results) {
    const Summary& s = result.summary;
    if (!is_stretched(s)) continue;
    text += fmt::format(
        "warning: {}: computing took {:.2f} times as long as on cores of its own, because threads "
        "share them\n",
        s.scheme, *s.compute_stretch);
  }
  return text.empty() ? text : text + "\n";
}

/// What several seeds have is written as one has: their mean, and their deviation in a line
/// beneath.
std::optional<SampleStatistics> values_of(const SeedStatistics& statistics, const Figure& figure) {
  return figure.column.of ? statistics_of(statistics.summaries, figure.column.of)
                          : statistics_of(statistics.summaries, figure);
}

std::string column_text(const Figure& figure, double value) {
  return figure.column.text ? figure.column.text(value) : text_of(figure, value);
}

std::string_view column_heading(const Figure& figure) {
  return figure.column.heading.empty() ? figure.heading : figure.column.heading;
}

/// In place of a mean over those runs only that have the figure: `count` of them.
std::string lacking_text(const SeedStatistics& statistics, const Figure& figure,
                         std::size_t count) {
  const std::size_t seeds = statistics.summaries.size();
  if (seeds == 1) return figure.column.lacking(*statistics.summaries.front());
  return statistics.diverged > 0 ? fmt::format("{} of {} diverged", statistics.diverged, seeds)
                                 : fmt::format("{} of {}", count, seeds);
}

/// The line of a scheme, and of several seeds a second one with their deviations.
void add_rows(const SeedStatistics& statistics, const ComparisonOptions& options,
              std::vector<Row>& rows) {
  Row means{statistics.scheme}, deviations{"  ±"};
  if (options.tune_lr) {
    means.push_back(fmt::format("{:.4g}", statistics.summaries.front()->lr));
    deviations.emplace_back();
  }
  if (options.seeds > 1) {
    means.push_back(fmt::to_string(statistics.summaries.size()));
    deviations.emplace_back();
  }
  for (const Figure* figure : figures_in(View::comparison_table)) {
    const std::optional<SampleStatistics> values = values_of(statistics, *figure);
    const std::size_t count = values ? values->count : 0;
    if (figure->column.lacking && count < statistics.summaries.size()) {
      means.push_back(lacking_text(statistics, *figure, count));
      deviations.emplace_back();
      continue;
    }
    means.push_back(values ? column_text(*figure, values->mean) : "-");
    const std::string deviation =
        values && values->deviation ? column_text(*figure, *values->deviation) : "";
    deviations.push_back(deviation == column_text(*figure, 0.0) ? "" : deviation);
  }
  rows.push_back(std::move(means));
  if (statistics.summaries.size() > 1) rows.push_back(std::move(deviations));
}

std::string target_line(const std::vector<RunResult>& results) {
  const RunResult& first = results.front();
  if (!first.summary.target_loss) return "";
  if (first.resolved.target_loss) {
    return fmt::format("target: training loss {:.6g}\n", *first.summary.target_loss);
  }
  if (first.summary.seed != results.back().summary.seed) {
    return "target: for each seed the lowest training loss that every scheme reached with it\n";
  }
  return fmt::format("target: training loss {:.6g}, the lowest that every scheme reached\n",
                     *first.summary.target_loss);
}

std::string heading(const std::vector<RunResult>& results, const ComparisonOptions& options) {
  const Summary& s = results.front().summary;
  const Configuration& c = results.front().resolved;
  const std::string step_size =
      options.tune_lr ? "each scheme's own best" : fmt::to_string(c.optimizer.lr);
  const std::string seeds = options.seeds > 1
                                ? fmt::format("seeds {} to {}", s.seed, results.back().summary.seed)
                                : fmt::format("seed {}", s.seed);
  return fmt::format(
             "{}: {} rows, {} test rows, {} features, {} classes; {} with {} parameters\n"
             "{} workers, minibatch {}, step size {}, {}; network: latency {}, bandwidth {}\n",
             s.dataset, s.rows, s.test_rows, s.features, s.classes, s.model, s.parameters,
             s.workers, c.batch, step_size, seeds, exact_text(c.network.latency),
             bandwidth_text(c.network.bytes_per_second)) +
         (s.time == "wall" ? "time: wall clock\n"
                           : fmt::format("time: virtual; computing a minibatch takes {}\n",
                                         human_duration(to_seconds(*c.compute_time)))) +
         target_line(results);
}

std::string legend() {
  std::string text;
  for (const Figure* figure : figures_in(View::comparison_table)) text += figure->column.legend;
  return text;
}

constexpr const char* tuning_legend =
    "step size    the best of a geometric grid, by short runs that count for nothing else\n";

constexpr const char* seeds_legend =
    "seeds        how many runs each figure is the mean of; ± their standard deviation (with\n"
    "             seeds - 1), empty where it rounds to 0; to target: how many reached it, if not "
    "all\n";

/// Where it is not the same in all: schemes with one step size need not move equally far.
std::string what_steps_are(const std::vector<RunResult>& results) {
  std::vector<std::pair<std::string, std::vector<std::string>>> schemes_of;  // a step
  for (const RunResult& result : results) {
    const Scheme& scheme = find_scheme(result.summary.scheme);
    auto found = std::ranges::find(
        schemes_of, scheme.step, [](const auto& each) -> const auto& { return each.first; });
    if (found == schemes_of.end()) found = schemes_of.insert(found, {scheme.step, {}});
    auto& names = found->second;
    if (std::ranges::find(names, scheme.name) == names.end()) names.push_back(scheme.name);
  }
  if (schemes_of.size() < 2) return "";
  std::string text = "\nAt one step size γ schemes do not move equally far; a step is\n";
  for (const auto& [step, names] : schemes_of) {
    text += fmt::format("  {}\n      {}\n", step, fmt::join(names, ", "));
  }
  return text;
}

/// A figure in the table of a run; empty where it has no line.
std::string line_text(const Figure& figure, const Summary& s) {
  if (figure.line) return figure.line(s);
  const FigureValue value = figure.of(s);
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  const std::optional<double> number = number_of(value);
  return number ? text_of(figure, *number) : "-";
}

}  // namespace

std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options) {
  if (results.empty()) return "";
  std::vector<Row> rows{{"scheme"}};
  if (options.tune_lr) rows.front().emplace_back("step size");
  if (options.seeds > 1) rows.front().emplace_back("seeds");
  for (const Figure* figure : figures_in(View::comparison_table)) {
    rows.front().emplace_back(column_heading(*figure));
  }
  for (const SeedStatistics& statistics : seed_statistics(results))
    add_rows(statistics, options, rows);
  std::string text =
      heading(results, options) + "\n" + aligned(rows) + "\n" + stretch_notes(results) + legend();
  if (options.tune_lr) text += tuning_legend;
  if (options.seeds > 1) text += seeds_legend;
  if (!options.tune_lr) text += what_steps_are(results);
  return text;
}

std::string summary_table(const Summary& s) {
  std::vector<Row> rows;
  for (const Figure* figure : figures_in(View::run_table)) {
    if (std::string text = line_text(*figure, s); !text.empty()) {
      rows.push_back({std::string(figure->heading), std::move(text)});
    }
  }
  return fmt::format("{} on {}: {}, {} workers, {} time{}\n", s.scheme, s.dataset, s.model,
                     s.workers, s.time,
                     s.diverged      ? "; DIVERGED"
                     : s.interrupted ? "; interrupted"
                                     : "") +
         aligned(rows);
}

}  // namespace trainyard
