#include <algorithm>
#include <vector>

#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/measurements.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/report/machine_format.hpp"
#include "trainyard/report/status_line.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// Measures two neighbours and, where there are two nodes, a core of each.
std::vector<LineCostRow> line_costs(const std::vector<ProcessingUnit>& units) {
  if (units.size() < 2) return {};
  std::vector<const ProcessingUnit*> others{&units[1]};
  const auto elsewhere = std::ranges::find_if(
      units, [&](const ProcessingUnit& unit) { return unit.node != units.front().node; });
  if (elsewhere != units.end() && &*elsewhere != others.front()) others.push_back(&*elsewhere);
  std::vector<LineCostRow> rows;
  rows.reserve(others.size());
  for (const ProcessingUnit* other : others) {
    rows.push_back({.core = units.front().core,
                    .other = other->core,
                    .cost = line_cost(units.front().index, other->index)});
  }
  return rows;
}

std::vector<NodeBandwidth> bandwidths(const Machine& machine) {
  std::vector<NodeBandwidth> rows;
  const std::vector<ProcessingUnit> all = first_units(machine, machine.units.size());
  for (int node = 0, seen = 0; seen < machine.nodes; ++node) {
    std::vector<int> units;
    for (const ProcessingUnit& unit : all) {
      if (unit.node == node) units.push_back(unit.index);
    }
    if (units.empty()) continue;
    ++seen;
    rows.push_back({.node = node,
                    .cores = units.size(),
                    .bytes_per_second = triad_bandwidth(units, triad_bytes(units.size()))});
  }
  return rows;
}

MachineMeasurements measured_on(const Machine& machine, StatusLine& status_line) {
  constexpr std::size_t most = 64;
  MachineMeasurements measured{.units = first_units(machine, most)};
  if (measured.units.size() > 1) {
    status_line.show("latency from core to core");
    measured.latencies = line_latencies(measured.units);
    status_line.show("writes to a shared cache line");
    measured.costs = line_costs(measured.units);
  }
  status_line.show("memory bandwidth");
  measured.bandwidths = bandwidths(machine);
  return measured;
}

MachineReport report_on(const MachineQuestion& question) {
  const Machine machine = this_machine();
  const int ranks = question.ranks == 0 ? machine.cores : question.ranks;
  MachineReport report{.machine = machine,
                       .quota = processor_quota(),
                       .ranks = ranks,
                       .placement = question.placement,
                       .places = place_ranks(machine, ranks, question.placement)};
  if (question.measure) {
    StatusLine status_line(question.output.progress_to());
    report.measured = measured_on(machine, status_line);
  }
  return report;
}

}  // namespace

int machine_command(const MachineQuestion& question) {
  const MachineReport report = report_on(question);
  print_answer(question.output, {.text = [&] { return machine_text(report); },
                                 .json = [&] { return machine_json(report); }});
  return exit_done;
}

}  // namespace trainyard::app
