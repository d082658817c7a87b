#include "report/json_columns.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "report/observed_columns.hpp"
#include "study/circumstances.hpp"
#include "study/same_runs.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

template <typename Range, typename Value>
Json column(const Range& rows, const Value& value) {
  Json values = Json::array();
  for (const auto& row : rows) values.push_back(value(row));
  return values;
}

/// Of what not every row has: `value` gives an optional.
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
  const auto of = [&](auto Metrics::*member) {
    return column(metrics, [=](const Metrics& m) { return m.*member; });
  };
  const auto if_any = [&](std::optional<double> Metrics::*member) {
    return column_if_any(metrics, [=](const Metrics& m) { return m.*member; });
  };
  Json columns{{"step", of(&Metrics::step)},
               {"epoch", of(&Metrics::epoch)},
               {"seconds", of(&Metrics::seconds)},
               {"samples", of(&Metrics::samples)},
               {"bytes_sent", of(&Metrics::bytes_sent)},
               {"train_loss", of(&Metrics::train_loss)},
               {"test_loss", if_any(&Metrics::test_loss)},
               {"test_accuracy", if_any(&Metrics::test_accuracy)},
               {"consensus_distance", if_any(&Metrics::consensus_distance)},
               {"squared_gradient_norm", if_any(&Metrics::squared_gradient_norm)},
               {"train_r_squared", if_any(&Metrics::train_r_squared)},
               {"test_r_squared", if_any(&Metrics::test_r_squared)}};
  for (const NoiseColumn& noise : noise_columns) {
    columns[std::string(noise.key)] =
        column_if_any(metrics, [&](const Metrics& m) { return m.gradient_noise.*noise.value; });
  }
  return columns;
}

Json rank_columns(const RunResult& result) {
  const auto& all = result.accounts;
  Json ranks = Json::array(), roles = Json::array();
  const std::size_t servers = static_cast<std::size_t>(result.summary.servers);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    ranks.push_back(rank);
    roles.push_back(rank + servers < all.size() ? "worker" : "server");
  }
  const auto time = [&](Duration RankAccount::*member) {
    return column(all, [=](const RankAccount& a) { return to_seconds(a.*member); });
  };
  const auto count = [&](std::uint64_t RankAccount::*member) {
    return column(all, [=](const RankAccount& a) { return a.*member; });
  };
  Json columns{{"rank", ranks},
               {"role", roles},
               {"compute_s", time(&RankAccount::compute)},
               {"transfer_s", time(&RankAccount::transfer)},
               {"wait_s", time(&RankAccount::wait)},
               {"messages_sent", count(&RankAccount::messages_sent)},
               {"bytes_sent", count(&RankAccount::bytes_sent)},
               {"messages_received", count(&RankAccount::messages_received)},
               {"bytes_received", count(&RankAccount::bytes_received)}};
  for (const ObservedColumn& observed : observed_columns(result)) {
    columns[observed.key] = column(
        observed.values, [](const auto& value) { return value ? Json(*value) : Json(nullptr); });
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

Json trace_columns(const Trace& trace) {
  return {{"workers", trace.workers},
          {"servers", trace.servers},
          {"ports", trace.ports == PortMode::circuit ? "circuit" : "cutthrough"},
          {"from", to_seconds(trace.from)},
          {"until", to_seconds(trace.until)},
          {"messages", message_columns(trace)},
          {"spans", span_columns(trace)}};
}

}  // namespace trainyard
