#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/rank_figures.hpp"

#include "report/markup.hpp"

namespace trainyard {

namespace {

constexpr const char* not_available = "-";

/// A column of the table: what the threads of the ranks did, and where.
struct CounterColumn {
  const RankFigure* figure;
  std::vector<std::optional<double>> values;  // of each rank; empty where it is not available
};

/// Columns without any value are left to the note beneath.
std::vector<CounterColumn> counter_columns(const RunResult& result) {
  std::vector<CounterColumn> columns;
  for (const RankFigure* figure : rank_figures_of(result)) {
    if (figure->heading.empty()) continue;
    CounterColumn column{.figure = figure, .values = {}};
    for (std::size_t rank = 0; rank < result.counts.size(); ++rank) {
      column.values.push_back(number_of(value_of(*figure, result, rank)));
    }
    const auto is_available = [](const auto& value) { return value.has_value(); };
    if (std::ranges::any_of(column.values, is_available)) columns.push_back(std::move(column));
  }
  return columns;
}

/// An index is one as it is, and a count is rounded.
std::string cell(const CounterColumn& column, const std::optional<double>& value) {
  if (!value) return not_available;
  return is_index(*column.figure) ? fmt::format("{:.0f}", *value) : human_count(*value);
}

/// The sum of a counter; cores and nodes do not add up.
std::string sum_cell(const CounterColumn& column) {
  if (is_index(*column.figure)) return "";
  double sum = 0.0;
  for (const auto& value : column.values) {
    if (!value) return not_available;
    sum += *value;
  }
  return human_count(sum);
}

/// The heading's row first, the sum last.
std::vector<TableRow> counter_rows(const RunResult& result) {
  const std::vector<CounterColumn> columns = counter_columns(result);
  std::vector<TableRow> rows{{"rank"}};
  for (const CounterColumn& column : columns) rows.front().emplace_back(column.figure->heading);
  for (std::size_t rank = 0; rank < result.counts.size(); ++rank) {
    rows.push_back({fmt::to_string(rank)});
    for (const CounterColumn& column : columns) {
      rows.back().push_back(cell(column, column.values[rank]));
    }
  }
  rows.push_back({"all"});
  for (const CounterColumn& column : columns) rows.back().push_back(sum_cell(column));
  return rows;
}

std::string energy_line(const Summary& s) {
  if (!s.energy_j) return "";
  return fmt::format("energy of the processor's packages: {:.4g} J\n", *s.energy_j);
}

}  // namespace

std::string not_counted_note(std::span<const RunResult> results) {
  const auto counted = [](const RunResult& result) { return result.summary.counts.has_value(); };
  if (std::ranges::none_of(results, counted)) return "";
  std::vector<std::string_view> lacking;
  for (const ThreadCounter& counter : thread_counters()) {
    const bool some = std::ranges::any_of(results, [&](const RunResult& result) {
      return result.summary.counts && (*result.summary.counts.*counter.value);
    });
    if (!some) lacking.push_back(counter.heading);
  }
  const bool energy = std::ranges::any_of(
      results, [](const RunResult& result) { return result.summary.energy_j.has_value(); });
  if (!energy) lacking.push_back("energy");
  return lacking.empty() ? "" : fmt::format("not available here: {}\n", fmt::join(lacking, ", "));
}

std::string counters_table(const RunResult& result) {
  if (result.counts.empty()) return "";
  return fmt::format("\n{}{}{}", aligned(counter_rows(result)), energy_line(result.summary),
                     not_counted_note({&result, 1}));
}

std::string counters_markup(const RunResult& result, Markup markup) {
  if (result.counts.empty()) return "";
  return fmt::format("\n{}", marked_up(counter_rows(result), markup));
}

}  // namespace trainyard
