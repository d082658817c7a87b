#include "trainyard/report/score_format.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/json_text.hpp"

#include "report/csv_field.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// All digits: rows may be ranked by the last ones.
void append_number(double number, std::string& line) {
  if (std::isfinite(number)) fmt::format_to(std::back_inserter(line), "{}", number);
}

void append_label(const std::vector<std::string>& classes, const Dataset& rows, std::size_t row,
                  std::string& line) {
  if (rows.targets.empty()) {
    line += csv_field(classes[static_cast<std::size_t>(rows.labels[row])]);
  } else {
    fmt::format_to(std::back_inserter(line), "{}", rows.targets[row]);
  }
  line += ',';
}

std::string cell(const std::optional<double>& number) {
  return number ? fmt::format("{:.4f}", *number) : "–";
}

Json json_of(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

/// A sum of weights: a number of rows where those are 1.
std::string amount(double weight) {
  const bool whole = weight == std::floor(weight) && weight < 1e15;
  return whole ? fmt::format("{:.0f}", weight) : fmt::format("{:.6g}", weight);
}

Json amount_json(double weight) {
  const bool whole = weight == std::floor(weight) && weight < 1e15;
  return whole ? Json(static_cast<std::uint64_t>(weight)) : Json(weight);
}

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}\n", count, count == 1 ? one : many);
}

TableRow class_row(const std::string& name, const OneClassMeasures& of) {
  return {
      name,        amount(of.rows),  amount(of.predicted),      cell(of.precision), cell(of.recall),
      cell(of.f1), cell(of.roc_auc), cell(of.average_precision)};
}

/// Up to so many classes fit on a terminal.
constexpr std::size_t most_shown = 20;

std::string class_table(const std::vector<std::string>& names, const ClassMeasures& m) {
  std::vector<TableRow> rows{
      {"class", "rows", "predicted", "precision", "recall", "F1", "ROC AUC", "av. precision"}};
  for (std::size_t k = 0; k < names.size() && names.size() <= most_shown; ++k) {
    rows.push_back(class_row(names[k], m.classes[k]));
  }
  rows.push_back({"mean of classes", "", "", cell(m.macro_precision), cell(m.macro_recall),
                  cell(m.macro_f1), names.size() == 2 ? "" : cell(m.roc_auc),
                  names.size() == 2 ? "" : cell(m.average_precision)});
  return aligned(rows);
}

std::string confusion_table(const std::vector<std::string>& names, const ClassMeasures& m) {
  TableRow head{"label \\ predicted"};
  head.insert(head.end(), names.begin(), names.end());
  std::vector<TableRow> rows{head};
  for (std::size_t label = 0; label < names.size(); ++label) {
    TableRow row{names[label]};
    for (std::size_t k = 0; k < names.size(); ++k) {
      row.push_back(amount(m.confusion[label * names.size() + k]));
    }
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

/// What accuracy has to be better than.
std::string always_said(const std::vector<std::string>& names, const ClassMeasures& m) {
  const auto largest = std::ranges::max_element(m.classes, {}, &OneClassMeasures::rows);
  return fmt::format("{} by always saying {}", cell(largest->rows / m.weight),
                     echoed(names[static_cast<std::size_t>(largest - m.classes.begin())]));
}

std::string class_text(const std::vector<std::string>& names, const ClassMeasures& m) {
  std::string text = fmt::format("accuracy {} ({})", cell(m.accuracy), always_said(names, m));
  if (m.loss) text += fmt::format("   loss {}   Brier score {}", cell(m.loss), cell(m.brier));
  text += fmt::format("\n\n{}", class_table(names, m));
  if (names.size() <= most_shown) text += fmt::format("\n{}", confusion_table(names, m));
  return text;
}

std::string real_text(const RealMeasures& m) {
  return fmt::format("loss {:.6g}   RMSE {:.6g}   MAE {:.6g}   R² {}\n", m.loss, m.rmse, m.mae,
                     cell(m.r2));
}

/// Null where there is none, and of classes so many that nobody looks at them.
Json curve_json(const OneClassMeasures& of, std::size_t classes) {
  if (of.curve.empty() || classes > most_shown) return nullptr;
  Json thresholds = Json::array(), recalls = Json::array(), rates = Json::array(),
       precisions = Json::array();
  for (const RankingPoint& point : of.curve) {
    thresholds.push_back(std::isfinite(point.threshold) ? Json(point.threshold) : Json(nullptr));
    recalls.push_back(point.recall);
    rates.push_back(point.false_positive_rate);
    precisions.push_back(point.precision);
  }
  return {{"threshold", std::move(thresholds)},
          {"recall", std::move(recalls)},
          {"false_positive_rate", std::move(rates)},
          {"precision", std::move(precisions)}};
}

Json json_of(const std::vector<std::string>& names, const ClassMeasures& m) {
  Json classes = Json::array();
  Json confusion = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const OneClassMeasures& of = m.classes[k];
    classes.push_back({{"class", names[k]},
                       {"rows", amount_json(of.rows)},
                       {"predicted", amount_json(of.predicted)},
                       {"precision", of.precision},
                       {"recall", of.recall},
                       {"f1", of.f1},
                       {"roc_auc", json_of(of.roc_auc)},
                       {"average_precision", json_of(of.average_precision)},
                       {"curve", curve_json(of, names.size())}});
    Json row = Json::array();
    for (std::size_t said = 0; said < names.size(); ++said) {
      row.push_back(amount_json(m.confusion[k * names.size() + said]));
    }
    confusion.push_back(std::move(row));
  }
  Json calibration = Json::array();
  for (const CalibrationBin& bin : m.calibration) {
    calibration.push_back({{"rows", bin.rows},
                           {"weight", amount_json(bin.weight)},
                           {"mean_probability", bin.mean_probability},
                           {"fraction", bin.fraction}});
  }
  return {{"accuracy", m.accuracy},
          {"loss", json_of(m.loss)},
          {"brier", json_of(m.brier)},
          {"roc_auc", json_of(m.roc_auc)},
          {"average_precision", json_of(m.average_precision)},
          {"macro_precision", m.macro_precision},
          {"macro_recall", m.macro_recall},
          {"macro_f1", m.macro_f1},
          {"classes", std::move(classes)},
          {"confusion", std::move(confusion)},
          {"calibration", std::move(calibration)}};
}

Json json_of(const RealMeasures& m) {
  return {{"loss", m.loss}, {"rmse", m.rmse}, {"mae", m.mae}, {"r2", json_of(m.r2)}};
}

}  // namespace

std::string predictions_csv_header(const std::vector<std::string>& classes,
                                   const ScoredRows& part) {
  std::string line = part.labelled ? "label," : "";
  if (!part.said.labels.empty()) line += "class,";
  if (!part.said.values.empty()) line += "value,";
  if (!part.said.probabilities.empty()) {
    for (const std::string& name : classes) line += csv_field("p_" + name) + ",";
  }
  line.back() = '\n';
  return line;
}

std::string predictions_csv(const std::vector<std::string>& classes, const ScoredRows& part) {
  const Predictions& said = part.said;
  std::string text;
  for (std::size_t row = 0; row < said.rows; ++row) {
    if (part.labelled) append_label(classes, part.rows, row, text);
    const bool missing = !said.missing.empty() && said.missing[row];
    if (!said.labels.empty()) {
      if (!missing) text += csv_field(classes[static_cast<std::size_t>(said.labels[row])]);
      text += ',';
    }
    if (!said.values.empty()) {
      append_number(said.values[row], text);
      text += ',';
    }
    for (std::size_t k = 0; k < said.classes && !said.probabilities.empty(); ++k) {
      append_number(said.probabilities[row * said.classes + k], text);
      text += ',';
    }
    text.back() = '\n';
  }
  return text;
}

std::string scored_text(const std::string& title, const std::vector<std::string>& classes,
                        const Scored& scored) {
  std::string text = title + ": " + count_text(scored.rows, "row", "rows");
  for (const std::string& remark : scored.remarks) text += remark + '\n';
  if (scored.left_out > 0) {
    text += count_text(scored.left_out, "row has no prediction, as it lacks a field",
                       "rows have no prediction, as they lack a field");
  }
  if (scored.missing_fields > 0) {
    text += count_text(scored.missing_fields, "missing field was filled as in training",
                       "missing fields were filled as in training");
  }
  if (scored.unknown_words > 0) {
    text += count_text(scored.unknown_words, "word was not seen in training: its features are 0",
                       "words were not seen in training: their features are 0");
  }
  if (!scored.weighted_by.empty()) {
    text += fmt::format("weighted by {}: each row counts as often as its weight says\n",
                        scored.weighted_by);
  }
  if (!scored.unweighted.empty()) {
    text += fmt::format(
        "training rows were weighted by {}, which this file has not: each row counts once\n",
        scored.unweighted);
  }
  if (scored.classes) text += class_text(classes, *scored.classes);
  if (scored.real) text += real_text(*scored.real);
  if (!scored.classes && !scored.real) {
    text += scored.left_out == scored.rows
                ? "no row has a prediction, so nothing is measured\n"
                : "labels are not there, or passed over, so nothing is measured\n";
  }
  return text;
}

std::string scored_json(const std::string& model, const std::string& file,
                        const std::vector<std::string>& classes, const Scored& scored) {
  Json json{{"model", model},
            {"file", file},
            {"rows", scored.rows},
            {"measured", scored.measured},
            {"left_out", scored.left_out},
            {"missing_fields", scored.missing_fields},
            {"unknown_words", scored.unknown_words},
            {"weighted_by", scored.weighted_by.empty() ? Json(nullptr) : Json(scored.weighted_by)},
            {"unweighted", scored.unweighted.empty() ? Json(nullptr) : Json(scored.unweighted)},
            {"measures", nullptr}};
  if (scored.classes) json["measures"] = json_of(classes, *scored.classes);
  if (scored.real) json["measures"] = json_of(*scored.real);
  Json& notes = json["notes"] = Json::array();
  for (const std::string& remark : scored.remarks) {
    notes.push_back({{"about", ""}, {"text", remark}});
  }
  return json_text(json);
}

}  // namespace trainyard
