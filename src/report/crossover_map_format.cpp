#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/summary_format.hpp"

#include "report/csv_field.hpp"
#include "report/json_columns.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

constexpr std::array formats{"table", "json", "csv"};

/// A, B, …, Z, A1, B1, …
std::string letter(std::size_t index) {
  const std::string own(1, static_cast<char>('A' + index % 26));
  return index < 26 ? own : own + std::to_string(index / 26);
}

std::string target_text(const CrossoverMap& map) {
  if (map.target_accuracy) return fmt::format("accuracy {:.6g}", *map.target_accuracy);
  if (map.target_gradient) return fmt::format("gradient norm {:.6g}", *map.target_gradient);
  return fmt::format("train loss {:.6g}", map.target_loss.value_or(0.0));
}

std::string cell_text(const MapCell& cell) {
  const int first = cell.first();
  if (first < 0) return "-";
  const std::string name = letter(static_cast<std::size_t>(first));
  const std::optional<double> ahead = cell.ahead();
  return ahead ? fmt::format("{} {:.2f}", name, *ahead) : name;
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

void check_map_format(const std::string& format) {
  if (std::ranges::find(formats, format) != formats.end()) return;
  throw OptionError("format", format, "a map can be had as table, json or csv");
}

std::string crossover_map_table(const CrossoverMap& map) {
  const auto& [across, down] = map.axes;
  std::vector<TableRow> grid{{fmt::format("{} \\ {}", down.option, across.option)}};
  std::ranges::copy(across.values, std::back_inserter(grid.front()));
  for (std::size_t i = 0; i < down.values.size(); ++i) {
    TableRow& row = grid.emplace_back(TableRow{down.values[i]});
    for (std::size_t j = 0; j < across.values.size(); ++j) row.push_back(cell_text(map.cell(i, j)));
  }
  std::vector<TableRow> names{{"", "step size", "first in", "by", "contestant"}};
  for (std::size_t i = 0; i < map.contestants.size(); ++i) {
    const MappedContestant& one = map.contestants[i];
    const auto cells = std::ranges::count(map.cells, static_cast<int>(i), &MapCell::first);
    names.push_back({letter(i), fmt::format("{:g}", one.lr),
                     one.within ? "one machine" : fmt::format("{}", cells),
                     one.predicted ? "a step's time" : "runs", one.label});
  }
  const bool any_apart = std::ranges::any_of(
      map.contestants, [](const MappedContestant& one) { return one.within.has_value(); });
  return fmt::format(
      "Who reaches {} first, and how many times as fast as the next one\n\n{}\n{}\n"
      "-: nobody is there. 1.00: the next one is as soon. All with one seed.\n"
      "by: a step's time, as predict has it in each cell, times the steps of one run; or a run in "
      "each cell.\n{}",
      target_text(map), aligned(grid), aligned(names),
      any_apart ? "one machine: its workers share memory, and nothing of theirs crosses a network "
                  "between machines; it is not ranked.\n"
                : "");
}

std::string crossover_map_json(const CrossoverMap& map) {
  const auto& [across, down] = map.axes;
  Json contestants = Json::array(), cells = Json::array();
  for (const MappedContestant& one : map.contestants) {
    contestants.push_back({{"label", one.label},
                           {"lr", one.lr},
                           {"predicted", one.predicted},
                           {"within", one.within ? Json(*one.within) : Json(nullptr)}});
  }
  for (std::size_t i = 0; i < down.values.size(); ++i) {
    for (std::size_t j = 0; j < across.values.size(); ++j) {
      const MapCell& cell = map.cell(i, j);
      Json seconds = Json::array();
      for (const auto& each : cell.seconds) seconds.push_back(number(each));
      const int first = cell.first();
      cells.push_back(
          {{down.option, down.values[i]},
           {across.option, across.values[j]},
           {"first", first < 0 ? Json(nullptr)
                               : Json(map.contestants[static_cast<std::size_t>(first)].label)},
           {"ahead", number(first < 0 ? std::nullopt : cell.ahead())},
           {"seconds_to_target", seconds}});
    }
  }
  const Json document = {{"target_loss", number(map.target_loss)},
                         {"target_accuracy", number(map.target_accuracy)},
                         {"target_gradient", number(map.target_gradient)},
                         {"across", {{"option", across.option}, {"values", across.values}}},
                         {"down", {{"option", down.option}, {"values", down.values}}},
                         {"contestants", contestants},
                         {"cells", cells},
                         {"interrupted", map.interrupted},
                         {"notes", notes_array(map.notes)}};
  return document.dump(2) + "\n";
}

std::string crossover_map_csv(const CrossoverMap& map) {
  const auto& [across, down] = map.axes;
  std::string text =
      fmt::format("{},{},label,lr,predicted,seconds_to_target,first\n", down.option, across.option);
  for (std::size_t i = 0; i < down.values.size(); ++i) {
    for (std::size_t j = 0; j < across.values.size(); ++j) {
      const MapCell& cell = map.cell(i, j);
      for (std::size_t k = 0; k < map.contestants.size(); ++k) {
        const MappedContestant& one = map.contestants[k];
        text +=
            fmt::format("{},{},{},{},{},{},{}\n", csv_field(down.values[i]),
                        csv_field(across.values[j]), csv_field(one.label), one.lr, one.predicted,
                        cell.seconds[k] ? fmt::format("{}", *cell.seconds[k]) : "",
                        cell.first() == static_cast<int>(k));
      }
    }
  }
  return text;
}

}  // namespace trainyard
