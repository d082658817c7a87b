#include "trainyard/report/machine_format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/units.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/json_text.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

const ProcessingUnit& unit_of(const MachineReport& report, int place) {
  return *std::ranges::find(report.machine.units, place, &ProcessingUnit::index);
}

std::string places_text(const MachineReport& report) {
  if (report.places.empty()) return "placement none: ranks are not pinned\n";
  std::string text = "rank  hardware thread  core  NUMA node\n";
  for (std::size_t rank = 0; rank < report.places.size(); ++rank) {
    const ProcessingUnit& unit = unit_of(report, report.places[rank]);
    text += fmt::format("{:>4}  {:>15}  {:>4}  {:>9}\n", rank, unit.index, unit.core, unit.node);
  }
  const int ranks = report.ranks;
  if (!has_core_for_each(ranks, report.machine.cores, report.quota)) {
    text += fmt::format("\n{} rank{} share{} {}; --time virtual gives each a core of its own\n",
                        ranks, ranks == 1 ? "" : "s", ranks == 1 ? "s" : "",
                        cores_text(report.machine.cores, report.quota));
  }
  return text;
}

/// How many pairs are busy, and why the first of them is.
std::string busy_text(const MachineMeasurements& measured) {
  const auto& units = measured.units;
  std::size_t busy = 0;
  std::string first;
  for (std::size_t row = 0; row < units.size(); ++row) {
    for (std::size_t column = row + 1; column < units.size(); ++column) {
      const LineLatency& pair = measured.latencies[row][column];
      if (!std::isnan(pair.seconds) || ++busy > 1) continue;
      first = fmt::format(
          "between cores {} and {} {} round trip{} ended in {}, where {} in a row are one figure{}",
          units[row].core, units[column].core, pair.round_trips, pair.round_trips == 1 ? "" : "s",
          human_duration(pair.took), stretch_round_trips,
          pair.together ? "; both threads ran on one hardware thread, though told one each" : "");
    }
  }
  if (busy == 0) return "";
  return fmt::format("busy: {} of {} pairs; {}\n", busy, units.size() * (units.size() - 1) / 2,
                     first);
}

std::string latencies_text(const MachineMeasurements& measured, int cores) {
  const auto& units = measured.units;
  if (units.size() < 2) return "\nnothing to measure between cores: there is one\n";
  const std::string which = static_cast<int>(units.size()) < cores
                                ? fmt::format("{} of {} cores", units.size(), cores)
                                : "core";
  std::vector<TableRow> rows{{"core"}};
  for (const ProcessingUnit& unit : units) rows.front().push_back(fmt::to_string(unit.core));
  for (std::size_t row = 0; row < units.size(); ++row) {
    rows.push_back({fmt::to_string(units[row].core)});
    for (std::size_t column = 0; column < units.size(); ++column) {
      const double latency = 1e9 * measured.latencies[row][column].seconds;
      rows.back().push_back(row == column         ? "-"
                            : std::isnan(latency) ? "busy"  // with other programs
                                                  : fmt::format("{:.0f}", latency));
    }
  }
  return fmt::format("\nns for a cache line from core to core, by {}:\n{}{}", which, aligned(rows),
                     busy_text(measured));
}

std::string costs_text(const std::vector<LineCostRow>& costs) {
  if (costs.empty()) return "";
  std::vector<TableRow> rows{
      {"cores", "store, own line", "store, shared line", "add, own line", "add, shared line"}};
  for (const LineCostRow& row : costs) {
    const LineCost& cost = row.cost;
    rows.push_back({fmt::format("{} and {}", row.core, row.other)});
    for (const double seconds :
         {cost.own_store, cost.shared_store, cost.own_add, cost.shared_add}) {
      rows.back().push_back(fmt::format("{:.2g}", 1e9 * seconds));
    }
  }
  return "\nns for a write, while another core writes, too:\n" + aligned(rows);
}

std::string bandwidths_text(const std::vector<NodeBandwidth>& bandwidths) {
  std::vector<TableRow> rows{{"node", "cores", "bytes/s"}};
  for (const NodeBandwidth& row : bandwidths) {
    rows.push_back({fmt::to_string(row.node), fmt::to_string(row.cores),
                    human_bytes(row.bytes_per_second) + "/s"});
  }
  return "\nbytes a second between memory and all cores of a node (STREAM triad):\n" +
         aligned(rows);
}

Json places_json(const MachineReport& report) {
  Json places = Json::array();
  for (std::size_t rank = 0; rank < report.places.size(); ++rank) {
    const ProcessingUnit& unit = unit_of(report, report.places[rank]);
    places.push_back(
        {{"rank", rank}, {"unit", unit.index}, {"core", unit.core}, {"node", unit.node}});
  }
  return places;
}

Json latencies_json(const MachineMeasurements& measured, std::size_t& busy) {
  Json cores = Json::array(), rows = Json::array();
  for (const ProcessingUnit& unit : measured.units) cores.push_back(unit.core);
  for (const auto& latencies : measured.latencies) {
    Json row = Json::array();
    for (const LineLatency& one : latencies) {
      const bool is_busy = std::isnan(one.seconds);
      row.push_back(is_busy ? Json() : Json(one.seconds));
      busy += is_busy ? 1 : 0;
    }
    rows.push_back(row);
  }
  busy /= 2;  // the table is symmetric
  return {{"cores", cores}, {"rows", rows}};
}

Json measured_json(const MachineMeasurements& measured) {
  std::size_t busy = 0;
  Json latencies = latencies_json(measured, busy);
  Json writes = Json::array(), triad = Json::array();
  for (const LineCostRow& row : measured.costs) {
    writes.push_back({{"cores", {row.core, row.other}},
                      {"own_store", row.cost.own_store},
                      {"shared_store", row.cost.shared_store},
                      {"own_add", row.cost.own_add},
                      {"shared_add", row.cost.shared_add}});
  }
  for (const NodeBandwidth& row : measured.bandwidths) {
    triad.push_back(
        {{"node", row.node}, {"cores", row.cores}, {"bytes_per_second", row.bytes_per_second}});
  }
  return {{"latency_s", latencies}, {"busy_pairs", busy}, {"write_s", writes}, {"triad", triad}};
}

}  // namespace

std::string machine_text(const MachineReport& report) {
  std::string text = fmt::format("{}\n\n{}", report.machine.description, places_text(report));
  if (!report.measured) return text;
  return text + latencies_text(*report.measured, report.machine.cores) +
         costs_text(report.measured->costs) + bandwidths_text(report.measured->bandwidths);
}

std::string machine_json(const MachineReport& report) {
  const Machine& machine = report.machine;
  Json units = Json::array();
  for (const ProcessingUnit& unit : machine.units) {
    units.push_back({{"unit", unit.index}, {"core", unit.core}, {"node", unit.node}});
  }
  return json_text(
      Json{{"description", machine.description},
           {"cores", machine.cores},
           {"nodes", machine.nodes},
           {"cpu_quota_cores", report.quota ? Json(*report.quota) : Json()},
           {"units", units},
           {"placement", placement_text(report.placement)},
           {"ranks", report.ranks},
           {"core_for_each", has_core_for_each(report.ranks, machine.cores, report.quota)},
           {"places", places_json(report)},
           {"measured", report.measured ? measured_json(*report.measured) : Json()}});
}

}  // namespace trainyard
