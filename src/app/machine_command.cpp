#include <algorithm>

#include <fmt/format.h>

#include "trainyard/hardware/machine.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int machine_command(int ranks, Placement placement) {
  const Machine machine = this_machine();
  if (ranks == 0) ranks = machine.cores;
  fmt::print("{}\n\n", machine.description);
  const std::vector<int> places = place_ranks(machine, ranks, placement);
  if (places.empty()) {
    fmt::print("placement none: ranks are not pinned\n");
    return exit_done;
  }
  fmt::print("rank  hardware thread  core  NUMA node\n");
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto unit = std::ranges::find(machine.units, places[rank], &ProcessingUnit::index);
    fmt::print("{:>4}  {:>15}  {:>4}  {:>9}\n", rank, unit->index, unit->core, unit->node);
  }
  if (ranks > machine.cores) {
    fmt::print("\n{} ranks share {} cores; --time virtual gives each one of its own\n", ranks,
               machine.cores);
  }
  return exit_done;
}

}  // namespace trainyard::app
