// This machine as text and as JSON: its cores, where ranks would go, and what was measured between
// its cores.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/measurements.hpp"

namespace trainyard {

/// Between two cores.
struct LineCostRow {
  int core = 0, other = 0;
  LineCost cost;
};

struct NodeBandwidth {
  int node = 0;
  std::size_t cores = 0;
  double bytes_per_second = 0.0;
};

struct MachineMeasurements {
  std::vector<ProcessingUnit> units{};                // one of each core, or of some
  std::vector<std::vector<LineLatency>> latencies{};  // of each pair; empty: there is one core
  std::vector<LineCostRow> costs{};                   // of neighbours, and across nodes
  std::vector<NodeBandwidth> bandwidths{};
};

struct MachineReport {
  Machine machine;
  std::optional<double> quota{};  // of CPU time, in cores
  int ranks = 0;
  Placement placement = Placement::compact;
  std::vector<int> places{};  // of each rank a unit; empty: they are not pinned
  std::optional<MachineMeasurements> measured{};
};

std::string machine_text(const MachineReport& report);

/// {"description", "cores", "nodes", "cpu_quota_cores", "units": [{"unit", "core", "node"}, …],
/// "placement", "ranks", "core_for_each", "places": [{"rank", "unit", "core", "node"}, …],
/// "measured"}. "measured" is null, or {"latency_s": {"cores", "rows"}, "busy_pairs", "write_s":
/// [{"cores", "own_store", "shared_store", "own_add", "shared_add"}, …], "triad": [{"node",
/// "cores", "bytes_per_second"}, …]}; a latency of a busy pair is null, and one of a core with
/// itself 0.
std::string machine_json(const MachineReport& report);

}  // namespace trainyard
