// The data of a run whose ranks are processes: one process of each host reads them.
//
// Threads: the main one of each process.
#pragma once

#include <memory>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/shared_data.hpp"
#include "trainyard/runtime/processes.hpp"

namespace trainyard {

struct HostData {
  LoadedData data;
  std::unique_ptr<const SharedData> shared{};  // of the process that has read them, for others
};

/// Called by all, each of which then has the same data. Throws as load_dataset() does in a
/// process that reads, and RunError in the others of its host.
HostData load_once_a_host(const DatasetRequest& request, Processes& processes);

}  // namespace trainyard
