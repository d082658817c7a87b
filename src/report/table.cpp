#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/configuration/settings_text.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/seed_statistics.hpp"

#include "report/apart.hpp"
#include "report/comparison_columns.hpp"
#include "report/first_at_target.hpp"
#include "report/markup.hpp"
#include "report/paper_table.hpp"

namespace trainyard {

namespace {

using Row = TableRow;

bool is_tuned(const RunResult& run) {
  return !run.summary.tuned.empty();
}

/// How many columns say which row it is.
std::size_t heading_columns(const SeedStatistics& statistics) {
  return 1 + statistics.varied.size();
}

/// The line of a contestant, and beneath it the deviations of several seeds: columns stay narrow.
void add_rows(const SeedStatistics& statistics, const ComparisonOptions& options,
              const std::vector<std::string>& step_sizes, const Columns& columns,
              std::vector<Row>& rows) {
  Row means{contestant_text(statistics)}, deviations{""};
  for (const OptionText& varied : statistics.varied) {
    means.push_back(varied.text);
    deviations.emplace_back();
  }
  for (const std::string& name : step_sizes) {
    means.push_back(step_size_text(*statistics.summaries.front(), name));
    deviations.emplace_back();
  }
  if (options.seeds > 1) {
    means.push_back(fmt::to_string(statistics.summaries.size()));
    deviations.emplace_back();
  }
  for (const Figure* figure : columns) {
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
  if (statistics.summaries.size() == 1) return;
  deviations.front() = "  ±";
  rows.push_back(std::move(deviations));
}

/// The text that all runs share, or "differs".
std::string common(const std::vector<RunResult>& results,
                   FunctionRef<std::string(const RunResult&)> text) {
  const std::string first = text(results.front());
  const bool alike =
      std::ranges::all_of(results, [&](const RunResult& result) { return text(result) == first; });
  return alike ? first : "differs";
}

std::string target_line(const std::vector<RunResult>& results) {
  const auto has_target = [](const RunResult& r) {
    return target_of(r.resolved) || r.summary.target_loss;
  };
  if (std::ranges::none_of(results, has_target)) return "";
  const auto missed = std::ranges::count_if(
      results, [](const RunResult& r) { return !r.summary.seconds_to_target; });
  const std::string target = common(results, [&](const RunResult& r) {
    if (const auto given = target_of(r.resolved)) return target_text(*given);
    return r.summary.target_loss
               ? fmt::format(
                     "training loss {:.6g}, the lowest that all{} reached", *r.summary.target_loss,
                     missed > 0 ? fmt::format(" but {} of {} runs", missed, results.size()) : "")
               : std::string("none");
  });
  const std::string exact = common(results, [](const RunResult& r) {
    return "every " + counted(fmt::format("{:.4g}", r.resolved.evaluate_every), "epoch");
  });
  return fmt::format("target: {}; evaluated {}\n", target, exact);
}

std::string heading(const std::vector<RunResult>& results, const ComparisonOptions& options) {
  const Summary& s = results.front().summary;
  const auto data = common(results, [](const RunResult& r) {
    return fmt::format("{}: {}, {}, {}, {}", r.summary.dataset, counted(r.summary.rows, "row"),
                       counted(r.summary.test_rows, "test row"),
                       counted(r.summary.features, "feature"),
                       counted(r.summary.classes, "class", "classes"));
  });
  const auto model = common(results, [](const RunResult& r) {
    return fmt::format("{} with {}", r.summary.model, counted(r.summary.parameters, "parameter"));
  });
  const auto workers =
      common(results, [](const RunResult& r) { return fmt::to_string(r.summary.workers); });
  const auto batch =
      common(results, [](const RunResult& r) { return fmt::to_string(r.resolved.batch); });
  const auto step_size =
      common(results, [](const RunResult& r) { return fmt::to_string(r.resolved.optimizer.lr); });
  const auto latency =
      common(results, [](const RunResult& r) { return exact_text(r.resolved.network.latency); });
  const auto bandwidth = common(results, [](const RunResult& r) {
    return bandwidth_text(r.resolved.network.bytes_per_second);
  });
  const auto links = common(results, [](const RunResult& r) {
    return clauses(unusual_settings(r.resolved.network)) + crash_clauses(r.resolved);
  });
  std::string clock = common(results, [](const RunResult& r) {
    return std::string(r.summary.time == "wall" ? "wall clock" : "virtual");
  });
  if (clock == "virtual") {
    clock += "; computing a minibatch takes " + common(results, [](const RunResult& r) {
               return human_duration(to_seconds(*r.resolved.compute_time));
             });
    if (clock.ends_with("differs")) clock = "virtual; a minibatch's computing time differs";
  }
  const std::string seeds = options.seeds > 1
                                ? fmt::format("seeds {} to {}", s.seed, results.back().summary.seed)
                                : fmt::format("seed {}", common(results, [](const RunResult& r) {
                                                return fmt::to_string(r.summary.seed);
                                              }));
  return fmt::format(
             "{}; {}\nworkers {}, minibatch {}, step size {}, {}; network: latency {}, "
             "bandwidth {}{}\ntime: {}\n",
             data, model, workers, batch,
             std::ranges::all_of(results, is_tuned) ? "each scheme's own best" : step_size, seeds,
             latency, bandwidth, links == "differs" ? ", its other options differ" : links, clock) +
         target_line(results);
}

std::string legend(const Columns& columns) {
  std::string text;
  for (const Figure* figure : columns) {
    // Two columns may share a sentence.
    if (text.find(figure->column.legend) == std::string::npos) text += figure->column.legend;
  }
  return text;
}

/// Side by side as far as a page of 100 columns goes; each further block begins with the columns
/// that say which row it is.
std::string in_blocks(const std::vector<Row>& rows, std::size_t headings) {
  constexpr std::size_t page = 100;
  std::string text;
  for (std::size_t begin = headings; begin < rows.front().size();) {
    std::string block;
    std::size_t end = begin;
    while (end < rows.front().size()) {
      std::vector<Row> part;
      for (const Row& row : rows) {
        part.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(headings));
        part.back().insert(part.back().end(), row.begin() + static_cast<std::ptrdiff_t>(begin),
                           row.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      }
      std::string wider = aligned(part);
      if (end > begin && width_of(wider) > page) break;
      block = std::move(wider);
      ++end;
    }
    text += block + "\n";
    begin = end;
  }
  return text;
}

constexpr const char* tuning_legend =
    "step size    the best that tuning found by powers of two: with a target that was asked for it "
    "is\n"
    "             there first, otherwise it ends at the lowest loss\n";

constexpr const char* seeds_legend =
    "seeds        how many runs each figure is the mean of; ± their standard deviation (with\n"
    "             seeds - 1), empty where it rounds to 0; to target: how many reached it, if not "
    "all\n";

/// Shown where it is not the same in all: schemes with one step size need not move equally far.
std::string what_steps_are(const std::vector<RunResult>& results) {
  const std::vector<StepKind> kinds = differing_steps(results);
  if (kinds.empty()) return "";
  std::string text =
      "\nOne step size γ means different steps in these schemes (--tune-lr gives each its own "
      "best):\n";
  for (const auto& [step, names] : kinds) {
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

namespace {

/// The heading's row first.
std::vector<Row> comparison_rows(const std::vector<RunResult>& results,
                                 const std::vector<SeedStatistics>& all, const Columns& columns,
                                 const ComparisonOptions& options) {
  std::vector<Row> rows{{"scheme"}};
  for (const OptionText& varied : all.front().varied) rows.front().push_back(varied.option);
  const std::vector<std::string> step_sizes = step_size_columns(results);
  for (const std::string& name : step_sizes) {
    rows.front().push_back(name == "lr" ? "step size" : name);
  }
  if (options.seeds > 1) rows.front().emplace_back("seeds");
  for (const Figure* figure : columns) rows.front().emplace_back(column_heading(*figure));
  for (const SeedStatistics& statistics : all) {
    add_rows(statistics, options, step_sizes, columns, rows);
  }
  return rows;
}

}  // namespace

std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options,
                             const std::vector<std::string>& lacking) {
  if (results.empty()) return "";
  const std::vector<SeedStatistics> all = contestants_of(results);
  const Columns columns = columns_of(all, options.columns);
  std::string text =
      heading(results, options) + "\n" +
      in_blocks(comparison_rows(results, all, columns, options), heading_columns(all.front())) +
      (lacking.empty() ? first_at_target(all, results) : "") + apart_sentence(all) +
      legend(columns) + not_counted_note(results);
  if (std::ranges::any_of(results, is_tuned)) text += tuning_legend;
  if (options.seeds > 1) text += seeds_legend;
  text += what_steps_are(results);
  return text;
}

namespace {

/// Each line a note: what was asked, and the answer.
std::vector<Note> lines_as_notes(const std::string& text) {
  std::vector<Note> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back({"", text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string comparison_markup(const std::vector<RunResult>& results,
                              const ComparisonOptions& options, Markup markup,
                              const std::vector<Note>& notes,
                              const std::vector<std::string>& lacking) {
  if (results.empty()) return "";
  const std::vector<SeedStatistics> all = contestants_of(results);
  const PaperTable table =
      paper_table(all, columns_of(all, options.columns), step_size_columns(results),
                  options.seeds > 1, options.baseline);
  std::vector<Note> said = lines_as_notes(heading(results, options) +
                                          (lacking.empty() ? first_at_target(all, results) : ""));
  std::ranges::copy(table.notes, std::back_inserter(said));
  std::ranges::copy(collated_notes(results, notes), std::back_inserter(said));
  return marked_up(table.rows, markup) + marked_up(said, markup);
}

namespace {

std::vector<Row> summary_rows(const Summary& s) {
  std::vector<Row> rows;
  for (const Figure* figure : figures_in(View::run_table)) {
    if (std::string text = line_text(*figure, s); !text.empty()) {
      rows.push_back({std::string(figure->heading), std::move(text)});
    }
  }
  return rows;
}

}  // namespace

std::string summary_markup(const Summary& s, Markup markup) {
  std::vector<Row> rows = summary_rows(s);
  rows.insert(rows.begin(), {"figure", s.scheme});
  return marked_up(rows, markup) + marked_up(s.notes, markup);
}

std::string summary_table(const Summary& s) {
  return fmt::format("{} on {}: {}, {} worker{}, {} time{}\n", s.scheme, s.dataset, s.model,
                     s.workers, s.workers == 1 ? "" : "s", s.time,
                     s.diverged      ? "; DIVERGED"
                     : s.interrupted ? "; interrupted"
                     : s.crashed     ? "; ended by a crash"
                                     : "") +
         aligned(summary_rows(s)) + (s.ran_on ? fmt::format("ran on: {}\n", *s.ran_on) : "");
}

}  // namespace trainyard
