#include "trainyard/hardware/machine.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/hardware/processor_quota.hpp"

namespace trainyard {

namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// Null where hwloc finds none.
TopologyHandle load(const char* synthetic) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  TopologyHandle handle(topology);
  if (synthetic != nullptr && hwloc_topology_set_synthetic(topology, synthetic) != 0) {
    throw InternalError(fmt::format("'{}' is no synthetic hwloc topology", synthetic));
  }
  return hwloc_topology_load(topology) == 0 ? std::move(handle) : nullptr;
}

/// The real machine, looked at once: a look takes some 10 ms. Null where hwloc finds none, as where
/// HWLOC_COMPONENTS forbids it to look: then a hardware thread is a core for itself, and goes by
/// the system's number.
hwloc_topology_t real_topology() {
  static const TopologyHandle handle = load(nullptr);
  return handle.get();
}

Machine unknown_machine() {
  Machine machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // Fails where there are more than 1024; then this one is known.
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_SET(0, &allowed);
  for (int unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (CPU_ISSET(unit, &allowed)) machine.units.push_back({unit, unit, 0});
  }
  machine.cores = static_cast<int>(machine.units.size());
  machine.nodes = 1;
  machine.description = fmt::format("processor that hwloc does not know, {}",
                                    counted(machine.units.size(), "hardware thread"));
  return machine;
}

/// The logical index of the NUMA node that holds `unit`.
int node_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isincluded(unit->cpuset, node->cpuset)) {
      return static_cast<int>(node->logical_index);
    }
  }
  return 0;
}

Machine describe(hwloc_topology_t topology, bool only_allowed) {
  Machine machine;
  hwloc_cpuset_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
  if (only_allowed) {
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0) {
      hwloc_bitmap_and(usable, usable, bound);
    }
    hwloc_bitmap_free(bound);
  }
  std::vector<int> cores, nodes;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    if (!hwloc_bitmap_isset(usable, unit->os_index)) continue;
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    const int core_index = static_cast<int>((core != nullptr ? core : unit)->logical_index);
    machine.units.push_back(
        {static_cast<int>(unit->logical_index), core_index, node_of(topology, unit)});
    cores.push_back(core_index);
    nodes.push_back(machine.units.back().node);
  }
  hwloc_bitmap_free(usable);
  const auto distinct = [](std::vector<int>& values) {
    std::sort(values.begin(), values.end());
    return static_cast<int>(std::unique(values.begin(), values.end()) - values.begin());
  };
  machine.cores = distinct(cores);
  machine.nodes = distinct(nodes);
  const hwloc_obj_t package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, nullptr);
  const char* model =
      package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  machine.description = fmt::format(
      "{}, {}, {}, {}", model == nullptr ? "processor" : model, counted(machine.cores, "core"),
      counted(machine.units.size(), "hardware thread"), counted(machine.nodes, "NUMA node"));
  return machine;
}

/// How many units of the same core come before this one: the first thread of every core has 0.
int thread_number(const Machine& machine, std::size_t unit) {
  return static_cast<int>(std::count_if(
      machine.units.begin(), machine.units.begin() + static_cast<std::ptrdiff_t>(unit),
      [&](const ProcessingUnit& other) { return other.core == machine.units[unit].core; }));
}

}  // namespace

Machine this_machine() {
  const hwloc_topology_t topology = real_topology();
  Machine machine = topology == nullptr ? unknown_machine() : describe(topology, true);
  if (const auto quota = processor_quota()) {
    machine.description += fmt::format(", CPU quota {:.3g}", *quota);
  }
  return machine;
}

Machine synthetic_machine(const std::string& description) {
  const TopologyHandle topology = load(description.c_str());
  require(topology != nullptr, "hwloc knows a machine that is described to it");
  return describe(topology.get(), false);
}

Placement parse_placement(std::string_view text, std::string_view what) {
  static const std::array<std::string, 3> names{"compact", "scatter", "none"};
  return static_cast<Placement>(chosen(text, what, names));
}

std::string placement_text(Placement placement) {
  constexpr std::array<const char*, 3> names{"compact", "scatter", "none"};
  return names[static_cast<std::size_t>(placement)];
}

std::vector<int> place_ranks(const Machine& machine, int ranks, Placement placement) {
  if (placement == Placement::none || machine.units.empty()) return {};
  struct Seat {
    int thread, turn, node, order, index;
  };
  std::vector<Seat> seats;
  std::vector<int> seated_on_node;
  for (std::size_t u = 0; u < machine.units.size(); ++u) {
    const ProcessingUnit& unit = machine.units[u];
    seats.push_back({thread_number(machine, u), 0, unit.node, static_cast<int>(u), unit.index});
  }
  // First threads of all cores come before second threads; scatter takes the nodes in turn.
  std::stable_sort(seats.begin(), seats.end(),
                   [](const Seat& a, const Seat& b) { return a.thread < b.thread; });
  if (placement == Placement::scatter) {
    for (Seat& seat : seats) {
      const auto node = static_cast<std::size_t>(seat.node);
      if (seated_on_node.size() <= node) seated_on_node.resize(node + 1, 0);
      seat.turn = seated_on_node[node]++;
    }
    std::stable_sort(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) {
      return a.thread != b.thread ? a.thread < b.thread : a.turn < b.turn;
    });
  }
  std::vector<int> placed;
  placed.reserve(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    placed.push_back(seats[static_cast<std::size_t>(r) % seats.size()].index);
  }
  return placed;
}

std::string seats_text(const Machine& machine, const std::vector<int>& places) {
  if (places.empty()) return "ranks are not pinned";
  const auto unit_of = [&](std::size_t rank) {
    return *std::ranges::find(machine.units, places[rank], &ProcessingUnit::index);
  };
  const auto span = [](const char* what, std::size_t first, std::size_t last) {
    return first == last ? fmt::format("{} {}", what, first)
                         : fmt::format("{}s {}-{}", what, first, last);
  };
  // With more ranks than hardware threads it goes round again.
  const std::size_t seated = std::min(places.size(), machine.units.size());
  std::string text;
  for (std::size_t first = 0, next = 1; first < seated; first = next++) {
    const ProcessingUnit begin = unit_of(first);
    const auto follows = [&](std::size_t rank) {
      const ProcessingUnit unit = unit_of(rank);
      return unit.node == begin.node && unit.core == begin.core + static_cast<int>(rank - first);
    };
    while (next < seated && follows(next)) ++next;
    text += fmt::format("{}{} on {} of node {}", text.empty() ? "" : ", ",
                        span("rank", first, next - 1),
                        span("core", static_cast<std::size_t>(begin.core),
                             static_cast<std::size_t>(begin.core) + next - 1 - first),
                        begin.node);
  }
  if (seated < places.size()) text += ", the others in the same order again";
  return text;
}

namespace {

/// The system's number of a hardware thread; empty if there is none of that index.
std::optional<unsigned> system_number_of_unit(int unit) {
  const hwloc_topology_t topology = real_topology();
  if (topology == nullptr) return static_cast<unsigned>(unit);
  const hwloc_obj_t object =
      hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(unit));
  if (object == nullptr) return std::nullopt;
  return object->os_index;
}

}  // namespace

void pin_this_thread(int unit) {
  const std::optional<unsigned> number = system_number_of_unit(unit);
  if (!number) return;
  // Not hwloc_set_cpubind(): it clears a mask that it does not look whether it got (hwloc 2.9), and
  // where memory is short the program ended there.
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(*number / bits + 1, 0);
  mask[*number / bits] |= 1UL << *number % bits;
  (void)sched_setaffinity(0, mask.size() * sizeof(unsigned long),
                          reinterpret_cast<const cpu_set_t*>(mask.data()));
}

std::optional<int> unit_of_this_thread() {
  const int processor = sched_getcpu();
  if (processor < 0) return std::nullopt;
  if (real_topology() == nullptr) return processor;
  const hwloc_obj_t unit =
      hwloc_get_pu_obj_by_os_index(real_topology(), static_cast<unsigned>(processor));
  if (unit == nullptr) return std::nullopt;
  return static_cast<int>(unit->logical_index);
}

std::optional<int> system_number_of_node(int node) {
  if (real_topology() == nullptr) return std::nullopt;
  const hwloc_obj_t object =
      hwloc_get_obj_by_type(real_topology(), HWLOC_OBJ_NUMANODE, static_cast<unsigned>(node));
  if (object == nullptr) return std::nullopt;
  return static_cast<int>(object->os_index);
}

}  // namespace trainyard
