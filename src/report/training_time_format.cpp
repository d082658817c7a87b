#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/prediction_format.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

constexpr double seconds_a_day = 86400.0;

/// 300e9, 1.4e12: as papers write it, and as it can be typed.
std::string in_thousands(double count) {
  for (const auto& [unit, power] : {std::pair{1e12, "e12"}, {1e9, "e9"}, {1e6, "e6"}}) {
    if (count >= unit) return fmt::format("{:.4g}{}", count / unit, power);
  }
  return fmt::format("{:.6g}", count);
}

std::string days(double seconds) {
  const double count = seconds / seconds_a_day;
  return count < 0.1 ? fmt::format("{:.3g} d", count) : fmt::format("{:.1f} d", count);
}

/// The relative difference of the formula's time from the published one.
double difference(const PublishedTraining& row) {
  return training_time(row.task) / (row.published_days * seconds_a_day) - 1.0;
}

double published_utilisation(const PublishedTraining& row) {
  return utilisation_for(row.task, row.published_days * seconds_a_day);
}

Json json_of(const TrainingTask& task) {
  return {{"name", nullptr},
          {"tokens", task.tokens},
          {"parameters", task.parameters},
          {"devices", task.devices},
          {"peak_flops", task.peak_flops},
          {"utilisation", task.utilisation},
          {"seconds", training_time(task)},
          {"published_seconds", nullptr},
          {"difference", nullptr},
          {"published_utilisation", nullptr},
          {"source", nullptr}};
}

std::string document_of(const Json& rows) {
  return Json{{"rows", rows}}.dump(2) + "\n";
}

TableRow cells_of(const TrainingTask& task) {
  return {in_thousands(task.tokens),
          in_thousands(task.parameters),
          in_thousands(task.devices),
          in_thousands(task.peak_flops),
          fmt::format("{:.3g}", task.utilisation),
          days(training_time(task))};
}

const TableRow task_headings{"tokens", "parameters", "devices", "FLOP/s", "U", "8TP/(NFU)"};

constexpr const char* legend_of_formula =
    "\n"
    "8TP/(NFU): T tokens, P parameters, N devices of F FLOP/s at their peak, of which they reach\n"
    "the share U. Of the 8 operations for each token and parameter 2 are the forward pass, 4 the\n"
    "backward pass and 2 the forward pass once again, for activations that were not kept; without\n"
    "that it is 6, and three quarters of the time.\n";

/// A difference from which on formula and source need an explanation.
constexpr double far_off = 0.1;

}  // namespace

std::string training_time_json(std::span<const PublishedTraining> published) {
  Json rows = Json::array();
  for (const PublishedTraining& row : published) {
    Json line = json_of(row.task);
    line["name"] = row.name;
    line["published_seconds"] = row.published_days * seconds_a_day;
    line["difference"] = difference(row);
    line["published_utilisation"] = published_utilisation(row);
    line["source"] = row.source;
    rows.push_back(line);
  }
  return document_of(rows);
}

std::string training_time_json(const TrainingTask& task) {
  return document_of(Json::array({json_of(task)}));
}

std::string training_time_table(std::span<const PublishedTraining> published) {
  std::vector<TableRow> lines{{"model"}};
  lines[0].insert(lines[0].end(), task_headings.begin(), task_headings.end());
  lines[0].insert(lines[0].end(), {"published", "off by", "U for that", "source"});
  std::string remarks;
  for (const PublishedTraining& row : published) {
    TableRow line{row.name};
    const TableRow cells = cells_of(row.task);
    line.insert(line.end(), cells.begin(), cells.end());
    const double needed = published_utilisation(row);
    line.insert(line.end(), {days(row.published_days * seconds_a_day),
                             fmt::format("{:+.1f} %", 100.0 * difference(row)),
                             fmt::format("{:.2f}", needed), row.source});
    lines.push_back(line);
    if (std::abs(difference(row)) <= far_off) continue;
    remarks += fmt::format(
        "\n{}, {}: U = {:.2g} does not follow from {} days, which take U = {:.2f},\nand {:.2f} "
        "with 6 operations in place of 8.\n",
        row.name, row.source, row.task.utilisation, row.published_days, needed, 0.75 * needed);
  }
  return aligned(lines) + remarks + legend_of_formula;
}

std::string training_time_table(const TrainingTask& task) {
  return aligned({task_headings, cells_of(task)}) + legend_of_formula;
}

}  // namespace trainyard
