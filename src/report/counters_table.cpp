#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"

#include "report/aligned.hpp"
#include "report/markup.hpp"
#include "report/observed_columns.hpp"

namespace trainyard {

namespace {

constexpr const char* not_available = "-";

ObservedColumn place_column(const RunResult& result, const char* key,
                            std::optional<int> ThreadPlace::*member) {
  ObservedColumn column{.key = key, .heading = key, .values = {}};
  for (const ThreadPlace& place : result.places) {
    const auto& value = place.*member;
    column.values.push_back(value ? std::optional(static_cast<std::uint64_t>(*value))
                                  : std::nullopt);
  }
  return column;
}

ObservedColumn counter_column(const RunResult& result, const ThreadCounter& counter) {
  ObservedColumn column{
      .key = std::string(counter.key), .heading = std::string(counter.heading), .values = {}};
  for (const ThreadCounts& counts : result.counts) column.values.push_back(counts.*counter.value);
  return column;
}

bool is_available(const ObservedColumn& column) {
  return std::ranges::any_of(column.values, [](const auto& value) { return value.has_value(); });
}

/// An index is one as it is, and a count is rounded.
std::string cell(const ObservedColumn& column, const std::optional<std::uint64_t>& value) {
  if (!value) return not_available;
  const bool is_index = column.key == "core" || column.key == "node";
  return is_index ? fmt::to_string(*value) : human_count(static_cast<double>(*value));
}

/// Of what is counted; cores and nodes do not add up.
std::string sum_cell(const ObservedColumn& column) {
  if (column.key == "core" || column.key == "node") return "";
  std::uint64_t sum = 0;
  for (const auto& value : column.values) {
    if (!value) return not_available;
    sum += *value;
  }
  return human_count(static_cast<double>(sum));
}

/// The heading's row first, the sum last. Columns without any value are left to the note beneath.
std::vector<TableRow> counter_rows(const RunResult& result) {
  std::vector<ObservedColumn> columns = observed_columns(result);
  std::erase_if(columns, [](const ObservedColumn& column) { return !is_available(column); });
  std::vector<TableRow> rows{{"rank"}};
  for (const ObservedColumn& column : columns) rows.front().push_back(column.heading);
  for (std::size_t rank = 0; rank < result.counts.size(); ++rank) {
    rows.push_back({fmt::to_string(rank)});
    for (const ObservedColumn& column : columns) {
      rows.back().push_back(cell(column, column.values[rank]));
    }
  }
  rows.push_back({"all"});
  for (const ObservedColumn& column : columns) rows.back().push_back(sum_cell(column));
  return rows;
}

std::string energy_line(const Summary& s) {
  if (!s.energy_j) return "";
  return fmt::format("energy of the processor's packages: {:.4g} J\n", *s.energy_j);
}

}  // namespace

std::vector<ObservedColumn> observed_columns(const RunResult& result) {
  std::vector<ObservedColumn> columns;
  if (!result.places.empty()) {
    columns.push_back(place_column(result, "core", &ThreadPlace::core));
    columns.push_back(place_column(result, "node", &ThreadPlace::node));
    ObservedColumn moves{.key = "moves", .heading = "moves", .values = {}};
    for (const ThreadPlace& place : result.places) moves.values.push_back(place.moves);
    columns.push_back(std::move(moves));
  }
  if (result.counts.empty()) return columns;
  for (const ThreadCounter& counter : thread_counters()) {
    columns.push_back(counter_column(result, counter));
  }
  return columns;
}

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
