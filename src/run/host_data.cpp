#include "run/host_data.hpp"

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// In a container of its own a process does not find the data of the first one, and reads them.
HostData mapped(const DatasetRequest& request, Processes& processes) {
  const auto description = processes.from_first_of_host({});
  if (description.empty()) throw RunError("the process of this host that reads the data failed");
  try {
    return {.data = described_data(description)};
  } catch (const RunError&) {
    return {.data = load_dataset(request)};
  }
}

}  // namespace

HostData load_once_a_host(const DatasetRequest& request, Processes& processes) {
  if (processes.size_of_host() == 1) return {.data = load_dataset(request)};
  if (!processes.is_first_of_host()) return mapped(request, processes);
  HostData read;
  try {
    read.data = load_dataset(request);
    read.shared = std::make_unique<const SharedData>(read.data);
  } catch (...) {
    (void)processes.from_first_of_host({});  // they wait
    throw;
  }
  (void)processes.from_first_of_host(read.shared->description());
  return read;
}

}  // namespace trainyard
