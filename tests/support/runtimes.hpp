// Both runtimes, to run the same rank programs under each.
#pragma once

#include <functional>
#include <vector>

#include "trainyard/runtime/rank.hpp"

namespace trainyard::test {

struct Runtime {
  const char* name;
  RuntimeReport (*run)(const RuntimeSetup&, const std::function<void(Rank&)>&);
};

inline const std::vector<Runtime>& runtimes() {
  static const std::vector<Runtime> both{{"virtual", run_virtual}, {"wall", run_wall}};
  return both;
}

/// In `wall`, more ranks than cores must work too: ranks park.
inline RuntimeSetup setup_of(int workers, int servers = 0, const Network& network = {}) {
  return {.workers = workers,
          .servers = servers,
          .network = network,
          .pinned_to = {},
          .cores_are_shared = true};
}

}  // namespace trainyard::test
