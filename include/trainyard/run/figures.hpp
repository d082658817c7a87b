// The figures of a run: one row each, from which JSON, CSV, the statistics over seeds and the
// tables for people are all made. Whoever adds a row has the figure in each of the places it names.
//
// The table is constant, so any thread may read it.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// The value of a figure in a summary: nothing where the figure does not apply. Counts are whole
/// numbers, because a double keeps only those up to 2^53.
using FigureValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

/// The views that show a figure; `|` joins several.
enum class View : unsigned {
  json = 1,
  csv = 2,
  statistics = 4,         // over seeds, in JSON and CSV; numbers only
  run_table = 8,          // one run, a line each
  comparison_table = 16,  // one scheme a line, a column each; numbers only
  setting = 32            // over seeds, in JSON and CSV: what was asked for, of the first seed
};

constexpr View operator|(View a, View b) {
  return static_cast<View>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool holds(View set, View view) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(view)) != 0;
}

/// The key of the figure before which this one stands in a view; empty where it stands as in the
/// table. The comparison has the order of the statistics, and CSV that of the table.
struct StandsBefore {
  std::string_view json = {}, statistics = {}, run_table = {};
};

/// The parts of a row that only the comparison has; an empty one is as in the rest of the row.
struct ComparisonColumn {
  std::string_view heading = {};
  std::optional<double> (*of)(const Summary&) = nullptr;
  std::string (*text)(double) = nullptr;
  /// For a run without the figure; of several seeds the column then counts those that have it.
  std::string (*lacking)(const Summary&) = nullptr;
  std::string_view legend = {};  // whole lines, beneath the table
};

struct Figure {
  std::string_view key;           // unique, with the unit: in CSV, in the statistics, and in JSON
  std::string_view path = {};     // in JSON, where it is within an object: "staleness.mean"
  std::string_view unit = {};     // "s", "B", "1/s"; empty for counts, ratios and words
  std::string_view heading = {};  // in the tables for people
  FigureValue (*of)(const Summary&);
  View shown;
  StandsBefore before = {};
  /// A number as people read it; else durations, bytes or counts, as the unit says.
  std::string (*text)(double) = nullptr;
  /// The whole entry in the table of a run; where it is empty, there is no line.
  std::string (*line)(const Summary&) = nullptr;
  ComparisonColumn column = {};
  /// Most runs do not have it: no table has a column that is empty in all lines.
  bool needs_asking = false;
};

std::span<const Figure> figures();
/// The figures that one view shows, in its order.
std::vector<const Figure*> figures_in(View view);

std::string_view json_path(const Figure& figure);
/// Empty for what is no number, or does not apply.
std::optional<double> number_of(const FigureValue& value);
std::string text_of(const Figure& figure, double value);

/// Did computing take longer than on cores of its own, by more than noise?
bool is_stretched(const Summary& summary);

}  // namespace trainyard
