#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/rank_figures.hpp"
#include "trainyard/study/seed_statistics.hpp"

#include "report/csv_field.hpp"

namespace trainyard {

namespace {

struct ToField {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return csv_field(text); }
  std::string operator()(double value) const {
    return std::isnan(value) ? "nan" : fmt::to_string(value);  // and not "-nan"
  }
  template <typename T>
  std::string operator()(T value) const {
    return fmt::to_string(value);
  }
};

}  // namespace

namespace {

/// An option that runs differ in, and the column that says so.
struct OptionColumn {
  std::string option, heading;
};

std::string option_text(const Summary& summary, const std::string& option) {
  for (const auto* options : {&summary.varied, &summary.settings, &summary.tuned}) {
    const auto found = std::ranges::find(*options, option, &OptionText::option);
    if (found != options->end()) return found->text;
  }
  return "";
}

/// Whether the figure of that name says in every run what was asked for: `seconds` does not, which
/// is what the run took.
bool says_it(const std::vector<const Figure*>& columns, const std::string& option,
             const std::vector<RunResult>& results) {
  const auto figure = std::ranges::find(columns, option, &Figure::key);
  if (figure == columns.end()) return false;
  return std::ranges::all_of(results, [&](const RunResult& result) {
    const std::string asked = option_text(result.summary, option);
    return asked.empty() ||
           std::visit(ToField(), (*figure)->of(result.summary)) == csv_field(asked);
  });
}

/// Columns for options that the grid varies or contestants set, unless a figure's column says it.
std::vector<OptionColumn> option_columns(const std::vector<RunResult>& results,
                                         const std::vector<const Figure*>& columns) {
  std::vector<OptionColumn> made;
  std::vector<std::string> seen;
  for (const RunResult& result : results) {
    const Summary& s = result.summary;
    for (const auto* options : {&s.varied, &s.settings, &s.tuned}) {
      for (const OptionText& each : *options) {
        if (std::ranges::find(seen, each.option) != seen.end()) continue;
        seen.push_back(each.option);
        if (says_it(columns, each.option, results)) continue;
        const bool taken = std::ranges::find(columns, each.option, &Figure::key) != columns.end();
        made.push_back({each.option, taken ? fmt::format("{}_asked", each.option) : each.option});
      }
    }
  }
  return made;
}

std::vector<std::string> headings_of(const std::vector<OptionColumn>& columns) {
  std::vector<std::string> headings;
  headings.reserve(columns.size());
  for (const OptionColumn& column : columns) headings.push_back(column.heading);
  return headings;
}

std::vector<std::string> fields_of(const Summary& summary,
                                   const std::vector<OptionColumn>& columns) {
  std::vector<std::string> fields;
  fields.reserve(columns.size());
  for (const OptionColumn& column : columns) {
    fields.push_back(csv_field(option_text(summary, column.option)));
  }
  return fields;
}

/// After the label, which comes first.
void insert_varied(std::vector<std::string>& cells, const std::vector<std::string>& varied) {
  cells.insert(cells.begin() + 1, varied.begin(), varied.end());
}

}  // namespace

std::string summary_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> columns = figures_in(View::csv);
  const std::vector<OptionColumn> options = option_columns(results, columns);
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const Figure* figure : columns) cells.emplace_back(figure->key);
  insert_varied(cells, headings_of(options));
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const RunResult& result : results) {
    cells.clear();
    for (const Figure* figure : columns) {
      cells.push_back(std::visit(ToField(), figure->of(result.summary)));
    }
    insert_varied(cells, fields_of(result.summary, options));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string statistics_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> settings = figures_in(View::setting);
  const std::vector<const Figure*> figures = figures_in(View::statistics);
  const std::vector<OptionColumn> options = option_columns(results, settings);
  std::vector<std::string> cells;
  cells.reserve(settings.size() + 2 * figures.size());
  for (const Figure* figure : settings) cells.emplace_back(figure->key);
  insert_varied(cells, headings_of(options));
  for (const char* count : {"seeds", "diverged", "reached_target"}) cells.emplace_back(count);
  for (const Figure* figure : figures) {
    cells.push_back(fmt::format("{}_mean", figure->key));
    cells.push_back(fmt::format("{}_sd", figure->key));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const SeedStatistics& statistics : seed_statistics(results)) {
    cells.clear();
    for (const Figure* figure : settings) {
      cells.push_back(std::visit(ToField(), figure->of(*statistics.summaries.front())));
    }
    insert_varied(cells, fields_of(*statistics.summaries.front(), options));
    for (const std::size_t count :
         {statistics.summaries.size(), statistics.diverged, statistics.reached_target}) {
      cells.push_back(fmt::to_string(count));
    }
    for (const Figure* figure : figures) {
      const std::optional<SampleStatistics> s = statistics_of(statistics.summaries, *figure);
      cells.push_back(s ? fmt::to_string(s->mean) : "");
      cells.push_back(s && s->deviation ? fmt::to_string(*s->deviation) : "");
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string ranks_csv(const RunResult& result) {
  const std::vector<const RankFigure*> figures = rank_figures_of(result);
  std::string text = "rank,role";
  for (const RankFigure* figure : figures) text += fmt::format(",{}", figure->key);
  text += "\n";
  for (std::size_t rank = 0; rank < result.accounts.size(); ++rank) {
    text += fmt::format("{},{}", rank, role_of(result, rank));
    for (const RankFigure* figure : figures) {
      text += fmt::format(",{}", std::visit(ToField(), value_of(*figure, result, rank)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace trainyard
