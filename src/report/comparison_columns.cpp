#include "report/comparison_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

std::optional<SampleStatistics> values_of(const SeedStatistics& statistics, const Figure& figure) {
  return figure.column.of ? statistics_of(statistics.summaries, figure.column.of)
                          : statistics_of(statistics.summaries, figure);
}

std::string column_text(const Figure& figure, double value) {
  return figure.column.text ? figure.column.text(value) : text_of(figure, value);
}

std::string_view column_heading(const Figure& figure) {
  if (!figure.column.heading.empty()) return figure.column.heading;
  return figure.heading.empty() ? figure.key : figure.heading;
}

std::string lacking_text(const SeedStatistics& statistics, const Figure& figure,
                         std::size_t count) {
  const std::size_t seeds = statistics.summaries.size();
  if (seeds == 1) return figure.column.lacking(*statistics.summaries.front());
  return statistics.diverged > 0 ? fmt::format("{} of {} diverged", statistics.diverged, seeds)
                                 : fmt::format("{} of {}", count, seeds);
}

std::string contestant_text(const SeedStatistics& statistics) {
  const auto any = [&](bool Summary::*is) {
    return std::ranges::any_of(statistics.summaries, [&](const Summary* s) { return s->*is; });
  };
  const bool apart = statistics.summaries.front()->within.has_value();
  return statistics.label + (apart ? " (one machine)" : "") +
         (any(&Summary::interrupted) ? " (interrupted)" : "") +
         (any(&Summary::crashed) ? " (crashed)" : "");
}

std::vector<std::string> step_size_columns(const std::vector<RunResult>& results) {
  std::vector<std::string> names;
  const auto has_own = [&](const RunResult& run) {
    return run.summary.lr != results.front().summary.lr;
  };
  if (std::ranges::any_of(results, has_own)) names.emplace_back("lr");
  for (const RunResult& run : results) {
    for (const OptionText& each : run.summary.tuned) {
      if (std::ranges::find(names, each.option) == names.end()) names.push_back(each.option);
    }
  }
  // The grid's own columns say theirs.
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(results.front().summary.varied, name, &OptionText::option) !=
           results.front().summary.varied.end();
  });
  return names;
}

std::string step_size_text(const Summary& s, const std::string& name) {
  if (name == "lr") return fmt::format("{:.4g}", s.lr);
  const auto found = std::ranges::find(s.tuned, name, &OptionText::option);
  return found == s.tuned.end() ? "-" : found->text;
}

Columns columns_of(const std::vector<SeedStatistics>& all, const std::vector<std::string>& chosen) {
  Columns columns;
  for (const std::string& key : chosen) {
    const std::vector<const Figure*> known = figures_in(View::statistics);
    const auto found = std::ranges::find(known, key, &Figure::key);
    require(found != known.end(), "a column that is no figure");
    columns.push_back(*found);
  }
  if (!chosen.empty()) return columns;
  columns = figures_in(View::comparison_table);
  std::erase_if(columns, [&](const Figure* figure) {
    const bool may_lack = figure->column.lacking != nullptr;
    return !may_lack && figure->needs_asking && std::ranges::none_of(all, [&](const auto& one) {
      return values_of(one, *figure).has_value();
    });
  });
  return columns;
}

}  // namespace trainyard
