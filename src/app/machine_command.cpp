#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/measurements.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/report/aligned.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

void print_places(const Machine& machine, int ranks, Placement placement) {
  const std::vector<int> places = place_ranks(machine, ranks, placement);
  if (places.empty()) {
    fmt::print("placement none: ranks are not pinned\n");
    return;
  }
  fmt::print("rank  hardware thread  core  NUMA node\n");
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto unit = std::ranges::find(machine.units, places[rank], &ProcessingUnit::index);
    fmt::print("{:>4}  {:>15}  {:>4}  {:>9}\n", rank, unit->index, unit->core, unit->node);
  }
  const std::optional<double> quota = processor_quota();
  if (!has_core_for_each(ranks, machine.cores, quota)) {
    fmt::print("\n{} rank{} share{} {}; --time virtual gives each a core of its own\n", ranks,
               ranks == 1 ? "" : "s", ranks == 1 ? "s" : "", cores_text(machine.cores, quota));
  }
}

/// What lies behind a pair that is "busy", of the first of them.
void print_busy(const std::vector<ProcessingUnit>& units,
                const std::vector<std::vector<LineLatency>>& latencies) {
  std::size_t busy = 0;
  std::string first;
  for (std::size_t row = 0; row < units.size(); ++row) {
    for (std::size_t column = row + 1; column < units.size(); ++column) {
      const LineLatency& pair = latencies[row][column];
      if (!std::isnan(pair.seconds) || ++busy > 1) continue;
      first = fmt::format(
          "between cores {} and {} {} round trip{} ended in {}, where {} in a row are one figure{}",
          units[row].core, units[column].core, pair.round_trips, pair.round_trips == 1 ? "" : "s",
          human_duration(pair.took), stretch_round_trips,
          pair.together ? "; both threads ran on one hardware thread, though told one each" : "");
    }
  }
  if (busy == 0) return;
  fmt::print("busy: {} of {} pairs; {}\n", busy, units.size() * (units.size() - 1) / 2, first);
}

void print_latencies(const std::vector<ProcessingUnit>& units, int cores) {
  if (units.size() < 2) {
    fmt::print("\nnothing to measure between cores: there is one\n");
    return;
  }
  const std::string which = static_cast<int>(units.size()) < cores
                                ? fmt::format("{} of {} cores", units.size(), cores)
                                : "core";
  fmt::print("\nns for a cache line from core to core, by {}:\n", which);
  const std::vector<std::vector<LineLatency>> latencies = line_latencies(units);
  std::vector<TableRow> rows{{"core"}};
  for (const ProcessingUnit& unit : units) rows.front().push_back(fmt::to_string(unit.core));
  for (std::size_t row = 0; row < units.size(); ++row) {
    rows.push_back({fmt::to_string(units[row].core)});
    for (std::size_t column = 0; column < units.size(); ++column) {
      const double latency = 1e9 * latencies[row][column].seconds;
      rows.back().push_back(row == column         ? "-"
                            : std::isnan(latency) ? "busy"  // with other programs
                                                  : fmt::format("{:.0f}", latency));
    }
  }
  fmt::print("{}", aligned(rows));
  print_busy(units, latencies);
}

/// Of two neighbours, and where there are two nodes, of a core of each.
void print_line_costs(const std::vector<ProcessingUnit>& units) {
  if (units.size() < 2) return;
  std::vector<const ProcessingUnit*> others{&units[1]};
  const auto elsewhere = std::ranges::find_if(
      units, [&](const ProcessingUnit& unit) { return unit.node != units.front().node; });
  if (elsewhere != units.end() && &*elsewhere != others.front()) others.push_back(&*elsewhere);
  fmt::print("\nns for a write, while another core writes, too:\n");
  std::vector<TableRow> rows{
      {"cores", "store, own line", "store, shared line", "add, own line", "add, shared line"}};
  for (const ProcessingUnit* other : others) {
    const LineCost cost = line_cost(units.front().index, other->index);
    rows.push_back({fmt::format("{} and {}", units.front().core, other->core)});
    for (const double seconds :
         {cost.own_store, cost.shared_store, cost.own_add, cost.shared_add}) {
      rows.back().push_back(fmt::format("{:.2g}", 1e9 * seconds));
    }
  }
  fmt::print("{}", aligned(rows));
}

void print_bandwidths(const Machine& machine) {
  fmt::print("\nbytes a second between memory and all cores of a node (STREAM triad):\n");
  std::vector<TableRow> rows{{"node", "cores", "bytes/s"}};
  const std::vector<ProcessingUnit> all = first_units(machine, machine.units.size());
  for (int node = 0, seen = 0; seen < machine.nodes; ++node) {
    std::vector<int> units;
    for (const ProcessingUnit& unit : all) {
      if (unit.node == node) units.push_back(unit.index);
    }
    if (units.empty()) continue;
    ++seen;
    const double rate = triad_bandwidth(units, triad_bytes(units.size()));
    rows.push_back({fmt::to_string(node), fmt::to_string(units.size()), human_bytes(rate) + "/s"});
  }
  fmt::print("{}", aligned(rows));
}

}  // namespace

int machine_command(const MachineQuestion& question) {
  const Machine machine = this_machine();
  fmt::print("{}\n\n", machine.description);
  print_places(machine, question.ranks == 0 ? machine.cores : question.ranks, question.placement);
  if (!question.measure) return exit_done;
  constexpr std::size_t most = 64;
  const std::vector<ProcessingUnit> units = first_units(machine, most);
  print_latencies(units, machine.cores);
  print_line_costs(units);
  print_bandwidths(machine);
  return exit_done;
}

}  // namespace trainyard::app
