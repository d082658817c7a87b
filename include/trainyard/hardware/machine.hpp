// The machine as hwloc sees it: cores, NUMA nodes, and where the ranks of a run go.
//
// Threads: any; pinning concerns the thread that calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct ProcessingUnit {
  int index = 0;  // hwloc logical index; what pin_this_thread() takes
  int core = 0;   // logical index of its core
  int node = 0;   // logical index of its NUMA node
};

/// The hardware that this process may use (its affinity mask and cgroup counted in).
struct Machine {
  std::vector<ProcessingUnit> units;  // in hwloc's logical order: neighbours are close
  int cores = 0;
  int nodes = 0;
  std::string description;  // e.g. "AMD EPYC, 2 cores, 1 NUMA node"
};

/// This machine.
Machine this_machine();
/// A machine that is only described, for tests: hwloc's synthetic notation, e.g. "pack:2 numa:4
/// core:16 pu:2".
Machine synthetic_machine(const std::string& description);

/// compact: fill one NUMA node after the other. scatter: one rank to each node in turn. none: not
/// pinned. One rank a core; hardware threads of a core are used only when cores run out, and when
/// those run out too, ranks share.
enum class Placement { compact, scatter, none };
/// Throws UsageError, naming `what`.
Placement parse_placement(std::string_view text, std::string_view what);
std::string placement_text(Placement placement);

/// The processing unit of each rank; empty for Placement::none.
std::vector<int> place_ranks(const Machine& machine, int ranks, Placement placement);

/// Describes the placement of ranks in one line: "ranks 0-15 on cores 0-15 of node 0, ranks 16-17
/// on cores 16-17 of node 1". REQUIRES: `places` comes from place_ranks() for this machine.
std::string seats_text(const Machine& machine, const std::vector<int>& places);

/// Binds the calling thread to one processing unit of this machine. A system that refuses (some
/// containers do) is no error: the thread then runs anywhere.
void pin_this_thread(int unit);

/// The processing unit on which the calling thread runs just now (hwloc logical index); empty where
/// the system does not say.
std::optional<int> unit_of_this_thread();

/// The system's number of this machine's NUMA node with that logical index; empty if there is none.
std::optional<int> system_number_of_node(int node);

}  // namespace trainyard
