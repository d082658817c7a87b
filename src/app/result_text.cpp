#include "app/result_text.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "trainyard/report/summary_format.hpp"

namespace trainyard::app {

namespace {

constexpr std::array<std::pair<std::string_view, Markup>, 2> markups{
    {{"markdown", Markup::markdown}, {"latex", Markup::latex}}};

}  // namespace

std::string run_text(const std::vector<RunResult>& results, const std::string& format) {
  const RunResult& result = results.front();
  if (format == "json") return run_json(result);
  if (format == "csv") return summary_csv(results);
  for (const auto& [name, markup] : markups) {
    if (format != name) continue;
    return summary_markup(result.summary, markup) + counters_markup(result, markup);
  }
  return summary_table(result.summary) + counters_table(result);
}

std::string comparison_text(const Compared& compared, const ComparisonOptions& options,
                            const std::string& format) {
  const std::vector<RunResult>& runs = compared.runs;
  if (format == "json") {
    return comparison_json(runs, options, compared.notes, compared.lacking);
  }
  if (format == "csv") return options.seeds > 1 ? statistics_csv(runs) : summary_csv(runs);
  for (const auto& [name, markup] : markups) {
    if (format == name) {
      return comparison_markup(runs, options, markup, compared.notes, compared.lacking);
    }
  }
  return comparison_table(runs, options, compared.lacking);
}

}  // namespace trainyard::app
