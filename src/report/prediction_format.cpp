#include "trainyard/report/prediction_format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "report/json_columns.hpp"
#include "report/prediction_setting.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

Json row_object(const Prediction& p) {
  const std::string way = way_of(p.contestant);
  return {{"label", p.contestant.label},
          {"scheme", p.contestant.scheme},
          {"way", way.empty() ? Json(nullptr) : Json(way)},
          {"servers", p.servers},
          {"closed_form_s", p.closed_form_s ? Json(*p.closed_form_s) : Json(nullptr)},
          {"why_no_closed_form", p.closed_form_s ? Json(nullptr) : Json(p.why_no_closed_form)},
          {"step_s", p.step_s},
          {"step_error_s", p.step_error_s},
          {"epoch_s", p.epoch_s},
          {"messages_per_step", p.messages},
          {"bytes_per_step", p.bytes}};
}

/// "5.03 ms", and of a mean "5.03 ms ± 12 µs".
std::string step_text(const Prediction& p) {
  if (!p.is_played) return "-";
  const std::string step = human_duration(p.step_s);
  return p.step_error_s > 0.0 ? fmt::format("{} ± {}", step, human_duration(p.step_error_s)) : step;
}

constexpr const char* legend_of_errors =
    "±: something is drawn at random, or nothing comes round again, and so it is a mean,\n"
    "which is within that in 998 of 1000 cases";

constexpr const char* legend_of_unplayed =
    "- from sustained on: so many workers send or hold too much for a run to be played, or their\n"
    "graph has too many links\n";

bool all_are_played(const std::vector<Prediction>& predictions) {
  return std::ranges::all_of(predictions, &Prediction::is_played);
}

/// Whole numbers as they are; of less than ten two digits, so that few are not none.
std::string messages_text(double messages) {
  if (messages == std::round(messages)) return fmt::format("{:.0f}", messages);
  return messages < 10.0 ? fmt::format("{:.2g}", messages) : fmt::format("{:.1f}", messages);
}

bool has_errors(const std::vector<Prediction>& predictions) {
  return std::ranges::any_of(predictions, [](const Prediction& p) { return p.step_error_s > 0.0; });
}

Json rows_object(const std::vector<Prediction>& predictions) {
  Json rows = Json::array();
  for (const Prediction& prediction : predictions) rows.push_back(row_object(prediction));
  return rows;
}

Json bounds_rows(const ExchangeCosts& costs) {
  Json rows = Json::array();
  for (const ExchangeBound& bound : exchange_bounds()) {
    rows.push_back({{"name", name_at(bound, costs)},
                    {"formula", bound.formula},
                    {"seconds", bound.seconds(costs)}});
  }
  return rows;
}

std::string shown(const SweepResult& sweep, const SweepPoint& point) {
  return sweep.line.measure == nullptr ? point.text : sweep.line.measure->shown(*point.value);
}

/// A column a value.
std::string bounds_of_sweep(const SweepResult& result, std::span<const ExchangeCosts> costs) {
  std::vector<TableRow> lines{{"by formula, without latency, of whole vectors"}};
  for (const SweepPoint& point : result.points) lines[0].push_back(shown(result, point));
  for (const ExchangeBound& bound : exchange_bounds()) {
    const bool is_varied = name_at(bound, costs.front()) != name_at(bound, costs.back());
    TableRow line{is_varied ? bound.name : name_at(bound, costs.front())};
    for (const ExchangeCosts& here : costs) line.push_back(human_duration(bound.seconds(here)));
    lines.push_back(std::move(line));
  }
  return aligned(lines);
}

/// A line for each that has none.
std::string reasons_text(const std::vector<Prediction>& predictions) {
  std::vector<TableRow> rows;
  for (const Prediction& p : predictions) {
    if (!p.why_no_closed_form.empty()) rows.push_back({p.contestant.label, p.why_no_closed_form});
  }
  if (rows.empty()) return "";
  std::size_t width = 0;
  for (const TableRow& row : rows) width = std::max(width, row[0].size());
  std::string text = "\nno closed form of the first step:\n";
  for (const TableRow& row : rows) text += fmt::format("{:<{}}  {}\n", row[0], width, row[1]);
  return text;
}

/// And the empty line before the table.
std::string touched_text(const PredictionSetting& setting) {
  if (setting.touched() == 1.0) return "\n";
  const bool off = setting.configuration.sparse_wire == SparseWire::off;
  return fmt::format(
      "a minibatch touches {:.3g} % of it, which {}\n\n", 100.0 * setting.touched(),
      off ? "--sparse-wire off leaves aside"
          : "is what schemes send that go by keys (list schemes NAME); the others send all of it;\n"
            "of several minibatches (ssp, fedavg) rows of real sets touch less, as they share "
            "more");
}

std::string bounds_table(const PredictionSetting& setting, const ExchangeCosts& costs) {
  std::string text = fmt::format(
      "\none exchange by formula, without latency{}: T = {} to send the model; and what is not in "
      "the table\nabove, at rates that are taken to be so: R = {} to add one (--reduce-rate), U = "
      "{} to update (--update-rate)\n",
      setting.touched() < 1.0 ? ", of whole vectors" : "", human_duration(costs.transmit_s),
      human_duration(costs.reduce_s), human_duration(costs.update_s));
  for (const ExchangeBound& bound : exchange_bounds()) {
    text += fmt::format("{:<42}  {:>10}  {}\n", name_at(bound, costs),
                        human_duration(bound.seconds(costs)), bound.formula);
  }
  return text +
         "a pull follows a whole push there; what overlaps the two, or adds while it sends, takes "
         "less\n";
}

}  // namespace

namespace {

/// An empty line and one for each; empty where there is none.
std::string notes_text(const std::vector<Note>& notes) {
  std::string text;
  for (const Note& note : notes) text += with_name(note.text, note.about) + "\n";
  return text.empty() ? "" : fmt::format("\n{}", text);
}

}  // namespace

/// Which lines workers of schemes on shared memory meet at depends on the data, which a prediction
/// does not have.
std::vector<Note> prediction_notes(const std::vector<Prediction>& predictions) {
  std::vector<std::string> sharing;
  for (const Prediction& p : predictions) {
    const bool shares = find_scheme(p.contestant.scheme).family == SchemeFamily::shared_memory;
    if (shares) sharing.push_back(p.contestant.label);
  }
  if (sharing.empty()) return {};
  return {{.about = fmt::format("{}", fmt::join(sharing, "; ")),
           .text = "note: cache lines that others have written are free here, and no network lies "
                   "between workers on one machine; run and compare in simulated time charge lines "
                   "(--line-time)"}};
}

std::string prediction_json(const PredictionSetting& setting,
                            const std::vector<Prediction>& predictions,
                            const ExchangeCosts& costs) {
  const Configuration& c = setting.configuration;
  const Json document = {{"workers", c.workers},
                         {"parameters", setting.parameters},
                         {"compute_s", to_seconds(*c.compute_time)},
                         {"batch", c.batch},
                         {"epoch_rows", setting.rows},
                         {"latency_s", to_seconds(c.network.latency)},
                         {"bandwidth_bytes_per_s", bandwidth_value(c.network)},
                         {"settings", other_settings(setting)},
                         {"touched", setting.touched()},
                         {"rows", rows_object(predictions)},
                         {"lower_bounds",
                          {{"transmit_s", costs.transmit_s},
                           {"reduce_s", costs.reduce_s},
                           {"update_s", costs.update_s},
                           {"rows", bounds_rows(costs)}}}};
  return document.dump(2) + "\n";
}

std::string prediction_table(const PredictionSetting& setting,
                             const std::vector<Prediction>& predictions,
                             const ExchangeCosts& costs) {
  const std::string text = setting_text(setting) + touched_text(setting);
  std::vector<TableRow> rows{
      {"scheme", "servers", "first step", "sustained", "an epoch", "messages", "bytes"}};
  for (const Prediction& p : predictions) {
    rows.push_back({p.contestant.label, fmt::format("{}", p.servers),
                    p.closed_form_s ? human_duration(*p.closed_form_s) : "-"});
    const TableRow sustained = p.is_played
                                   ? TableRow{step_text(p), human_duration(p.epoch_s),
                                              messages_text(p.messages), human_bytes(p.bytes)}
                                   : TableRow{"-", "-", "-", "-"};
    rows.back().insert(rows.back().end(), sustained.begin(), sustained.end());
  }
  // T is one speed's, of ports that send as fast as they receive.
  const bool has_bounds = !setting.configuration.network.unequal_ports();
  return text + aligned(rows) + (has_bounds ? bounds_table(setting, costs) : "") +
         fmt::format(
             "\nfirst step: the closed form, from lock-step (list schemes, list collectives);\n"
             "sustained: a step of a long run, as the scheme's program and the switch have it;\n"
             "an epoch: {} at that rate; messages, bytes: a step of all ranks together\n{}{}",
             counted(setting.rows, "row"), all_are_played(predictions) ? "" : legend_of_unplayed,
             has_errors(predictions) ? fmt::format("{}\n", legend_of_errors) : "") +
         reasons_text(predictions) + notes_text(prediction_notes(predictions));
}

std::string sweep_json(const PredictionSetting& setting, const SweepResult& result,
                       std::span<const ExchangeCosts> costs) {
  const std::string& name = result.variation.option;
  Json points = Json::array();
  for (std::size_t at = 0; at < result.points.size(); ++at) {
    const SweepPoint& point = result.points[at];
    const Json cheapest =
        point.cheapest < 0
            ? Json(nullptr)
            : Json(point.predictions[static_cast<std::size_t>(point.cheapest)].contestant.label);
    points.push_back({{"value", point.value ? Json(*point.value) : Json(point.text)},
                      {"cheapest", cheapest},
                      {"rows", rows_object(point.predictions)},
                      {"lower_bounds", bounds_rows(costs[at])}});
  }
  Json crossings = Json::array();
  for (const Crossing& crossing : result.crossings) {
    crossings.push_back({{"low", crossing.low},
                         {"high", crossing.high},
                         {"before", crossing.before},
                         {"after", crossing.after}});
  }
  const Configuration& c = setting.configuration;
  const Measure* measure = result.line.measure;
  Json document = {{"vary", name},
                   {"unit", measure == nullptr ? Json(nullptr) : Json(measure->unit)},
                   {"workers", c.workers},
                   {"parameters", setting.parameters},
                   {"compute_s", to_seconds(*c.compute_time)},
                   {"batch", c.batch},
                   {"latency_s", to_seconds(c.network.latency)},
                   {"bandwidth_bytes_per_s", bandwidth_value(c.network)},
                   {"settings", other_settings(setting, name)}};
  // Each point has its own.
  const std::string varied = name == "size"           ? "parameters"
                             : name == "compute-time" ? "compute_s"
                             : name == "latency"      ? "latency_s"
                             : name == "bandwidth"    ? "bandwidth_bytes_per_s"
                                                      : name;
  document.erase(varied);
  document["points"] = points;
  document["crossings"] = crossings;
  return document.dump(2) + "\n";
}

std::string sweep_table(const PredictionSetting& setting, const SweepResult& result,
                        std::span<const ExchangeCosts> costs) {
  const Variation& varied = result.variation;
  std::size_t width = 10;
  for (const SweepPoint& point : result.points) {
    width = std::max({width, varied.option.size(), shown(result, point).size()});
  }
  std::string text = setting_text(setting, varied.option) + touched_text(setting);
  text += fmt::format("{:<{}}", varied.option, width + 2);
  const bool means = std::ranges::any_of(
      result.points, [](const SweepPoint& point) { return has_errors(point.predictions); });
  const std::size_t width_of_steps = means ? 24 : 11;
  std::vector<std::size_t> widths;
  for (const Prediction& p : result.points.front().predictions) {
    const std::string name = p.contestant.label;
    widths.push_back(std::max(name.size(), width_of_steps) + 2);
    text += fmt::format("{:>{}}", name, widths.back());
  }
  text += "\n";
  for (const SweepPoint& point : result.points) {
    text += fmt::format("{:<{}}", shown(result, point), width + 2);
    for (std::size_t i = 0; i < point.predictions.size(); ++i) {
      const bool cheapest = static_cast<int>(i) == point.cheapest;
      const std::string time = step_text(point.predictions[i]);
      text += fmt::format("{:>{}}", (cheapest ? "* " : "") + time, widths[i]);
    }
    text += "\n";
  }
  text += "\n*: the shortest sustained step of those that send messages\n";
  if (means) text += fmt::format("{}\n", legend_of_errors);
  for (const Crossing& crossing : result.crossings) {
    const auto text_of = result.line.measure->shown;
    const std::string where =
        crossing.high > 1.002 * crossing.low
            ? fmt::format("between {} and {}", text_of(crossing.low), text_of(crossing.high))
            : fmt::format("at {}", text_of(crossing.high));
    text += fmt::format("{} {}: from {} to {}\n", varied.option, where, crossing.before,
                        crossing.after);
  }
  return text + "\n" + bounds_of_sweep(result, costs) +
         notes_text(prediction_notes(result.points.front().predictions));
}

}  // namespace trainyard
