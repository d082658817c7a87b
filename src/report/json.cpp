#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/configuration/options.hpp"
#include "trainyard/report/json_text.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/seed_statistics.hpp"

#include "report/figure_json.hpp"
#include "report/json_columns.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json curve_json(const std::optional<double>& value) {
  return or_null(value);
}
template <typename T>
Json curve_json(T value) {
  return value;
}

/// "/staleness/mean" for "staleness.mean".
Json::json_pointer pointer_to(std::string_view path) {
  std::string pointer = fmt::format("/{}", path);
  std::ranges::replace(pointer, '.', '/');
  return Json::json_pointer(pointer);
}

/// {"period": "4"}: as typed.
void add_varied(const Summary& s, Json& object) {
  for (const auto& [option, text] : s.settings) object["settings"][option] = text;
  for (const auto& [option, text] : s.varied) object["varied"][option] = text;
  for (const auto& [option, text] : s.tuned) object["tuned"][option] = text;
}

/// An object of which nothing applies is null as a whole.
Json summary_object(const Summary& s) {
  Json object;
  for (const Figure* figure : figures_in(View::json)) {
    object[pointer_to(json_path(*figure))] = figure_json(figure->of(s));
  }
  object["tuned"] = nullptr;
  add_varied(s, object);
  object["notes"] = notes_array(s.notes);
  for (Json& value : object) {
    if (value.is_object() && std::ranges::all_of(value, &Json::is_null)) value = nullptr;
  }
  return object;
}

/// null for the deviation of a single value.
Json statistics_object(const std::optional<SampleStatistics>& statistics) {
  if (!statistics) return nullptr;
  return {{"mean", statistics->mean},
          {"standard_deviation", or_null(statistics->deviation)},
          {"count", statistics->count}};
}

/// --trace may record a hundred thousand; its file has all of them.
constexpr std::size_t most_messages = 2000;

/// The summary and everything behind it.
Json run_object(const RunResult& result) {
  Json object = summary_object(result.summary);
  object["command"] = run_command_text(result.resolved);
  object["circumstances"] = circumstances_object(result);
  object["not_taken"] = not_taken_array(result);
  object["configuration"] = configuration_text(result.resolved);
  object["evaluations"] = evaluation_columns(result.metrics);
  object["ranks"] = rank_columns(result);
  object["updates_by_staleness"] = staleness_columns(result.staleness);
  const bool is_short = result.trace && result.trace->from == Time{0} &&
                        result.trace->messages.size() <= most_messages;
  object["first_steps"] =
      is_short ? trace_columns(*result.trace, microbatches_of(*result.trace, result.resolved))
               : Json(nullptr);
  return object;
}

Json seed_statistics_object(const SeedStatistics& statistics) {
  const Summary& first = *statistics.summaries.front();
  Json object;
  for (const Figure* figure : figures_in(View::setting)) {
    object[std::string(figure->key)] = figure_json(figure->of(first));
  }
  add_varied(first, object);
  object["seeds"] = statistics.seeds;
  object["diverged"] = statistics.diverged;
  object["reached_target"] = statistics.reached_target;
  for (const Figure* figure : figures_in(View::statistics)) {
    object[std::string(figure->key)] =
        statistics_object(statistics_of(statistics.summaries, *figure));
  }
  return object;
}

}  // namespace

std::string summary_json(const Summary& summary) {
  return json_text(summary_object(summary));
}

std::string run_json(const RunResult& result) {
  return json_text(run_object(result));
}

std::string comparison_json(const std::vector<RunResult>& results, const ComparisonOptions& options,
                            const std::vector<Note>& notes,
                            const std::vector<std::string>& lacking) {
  Json runs = Json::array();
  for (const RunResult& result : results) runs.push_back(run_object(result));
  Json document{{"runs", runs}};
  if (options.seeds > 1) {
    document["spread"] = Json::array();
    for (const SeedStatistics& statistics : seed_statistics(results)) {
      document["spread"].push_back(seed_statistics_object(statistics));
    }
  }
  document["lacking"] = lacking;
  document["notes"] = notes_array(collated_notes(results, notes));
  return json_text(document);
}

std::string metrics_json(const Metrics& metrics) {
  Json line;
  for (const CurveFigure& figure : curve_figures()) {
    line[std::string(figure.key)] = std::visit(
        [&](auto member) { return curve_json(curve_value(metrics, member)); }, figure.member);
  }
  return json_line(line);
}

}  // namespace trainyard
