#include "report/json_columns.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/rank_figures.hpp"
#include "trainyard/study/circumstances.hpp"
#include "trainyard/study/same_runs.hpp"

#include "report/figure_json.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

template <typename Range, typename Value>
Json column(const Range& rows, const Value& value) {
  Json values = Json::array();
  for (const auto& row : rows) values.push_back(value(row));
  return values;
}

/// A column that rows may lack: `value` returns an optional.
template <typename Range, typename Value>
Json column_if_any(const Range& rows, const Value& value) {
  const bool any =
      std::ranges::any_of(rows, [&](const auto& row) { return value(row).has_value(); });
  if (!any) return nullptr;
  return column(rows, [&](const auto& row) {
    const auto found = value(row);
    return found ? Json(*found) : Json(nullptr);
  });
}

template <typename T, typename Class>
Json curve_column(std::span<const Metrics> metrics, T Class::*member) {
  return column(metrics, [=](const Metrics& m) { return curve_value(m, member); });
}
template <typename T, typename Class>
Json curve_column(std::span<const Metrics> metrics, std::optional<T> Class::*member) {
  return column_if_any(metrics, [=](const Metrics& m) { return curve_value(m, member); });
}

constexpr std::array activities{"compute", "transfer", "wait"};

Json span_columns(const Trace& trace) {
  Json ranks = Json::array(), kinds = Json::array(), begins = Json::array(), ends = Json::array();
  for (std::size_t rank = 0; rank < trace.spans.size(); ++rank) {
    for (const TracedSpan& span : trace.spans[rank]) {
      ranks.push_back(rank);
      kinds.push_back(activities[static_cast<std::size_t>(span.activity)]);
      begins.push_back(to_seconds(span.from));
      ends.push_back(to_seconds(span.until));
    }
  }
  return {{"rank", ranks}, {"activity", kinds}, {"from", begins}, {"until", ends}};
}

Json message_columns(const Trace& trace) {
  const auto& all = trace.messages;
  return {{"from", column(all, [](const Transfer& m) { return m.from; })},
          {"to", column(all, [](const Transfer& m) { return m.to; })},
          {"bytes", column(all, [](const Transfer& m) { return m.bytes; })},
          {"posted", column(all, [](const Transfer& m) { return to_seconds(m.posted); })},
          {"start", column(all, [](const Transfer& m) { return to_seconds(m.start); })},
          {"first_bit", column(all, [](const Transfer& m) { return to_seconds(m.first_bit); })},
          {"end", column(all, [](const Transfer& m) { return to_seconds(m.end); })}};
}

}  // namespace

Json evaluation_columns(std::span<const Metrics> metrics) {
  Json columns;
  for (const CurveFigure& figure : curve_figures()) {
    columns[std::string(figure.key)] =
        std::visit([&](auto member) { return curve_column(metrics, member); }, figure.member);
  }
  return columns;
}

Json rank_columns(const RunResult& result) {
  std::vector<std::size_t> ranks(result.accounts.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  Json columns{{"rank", ranks},
               {"role", column(ranks, [&](std::size_t rank) { return role_of(result, rank); })}};
  for (const RankFigure* figure : rank_figures_of(result)) {
    columns[std::string(figure->key)] = column(
        ranks, [&](std::size_t rank) { return figure_json(value_of(*figure, result, rank)); });
  }
  return columns;
}

Json staleness_columns(const Staleness& staleness) {
  if (staleness.empty()) return nullptr;
  Json values = Json::array(), counts = Json::array();
  const std::uint64_t last = std::min(staleness.max(), Staleness::most_told_apart);
  for (std::uint64_t value = 0; value <= last; ++value) {
    if (staleness.count(value) == 0) continue;
    values.push_back(value);
    counts.push_back(staleness.count(value));
  }
  return {{"staleness", values}, {"updates", counts}};
}

Json not_taken_array(const RunResult& result) {
  Json names = Json::array();
  for (const auto& [option, text] : not_taken(result.resolved, result.summary.varied)) {
    names.push_back(option);
  }
  return names;
}

Json circumstances_object(const RunResult& result) {
  Json object = Json::object();
  for (const auto& [option, text] : circumstances_of(result)) object[option] = text;
  return object;
}

Json notes_array(std::span<const Note> notes) {
  Json array = Json::array();
  for (const Note& note : notes) array.push_back({{"about", note.about}, {"text", note.text}});
  return array;
}

Json trace_columns(const Trace& trace, const std::optional<Microbatches>& microbatches) {
  Json columns{{"workers", trace.workers},
               {"servers", trace.servers},
               {"ports", trace.ports == PortMode::circuit ? "circuit" : "cutthrough"},
               {"from", to_seconds(trace.from)},
               {"until", to_seconds(trace.until)},
               {"messages", message_columns(trace)},
               {"spans", span_columns(trace)}};
  if (!microbatches) return columns;
  columns["carries"] = microbatches->word;
  columns["messages"]["carried"] = column(microbatches->of_messages, [](const auto& number) {
    return number ? Json(*number) : Json(nullptr);
  });
  return columns;
}

}  // namespace trainyard
