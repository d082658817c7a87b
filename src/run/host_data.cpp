#include "trainyard/run/host_data.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/runtime/processes.hpp"

namespace trainyard {

namespace {

/// In a container of its own a process does not find the data of the first one, and reads them.
HostData mapped(const DatasetRequest& request, Processes& processes) {
  const auto description = processes.from_first_of_host({});
  if (description.empty()) throw RunError("the process of this host that reads the data failed");
  try {
    HostData read{.data = described_data(description)};
    if (!request.start.folder.empty()) {
      read.data.start = request.start.open(request.start.folder);
    }
    return read;
  } catch (const RunError&) {
    return {.data = load_dataset(request)};
  }
}

/// Throws in all where it is one for some of them alone, who would not wait for the others.
bool all_have_split_file(const DatasetRequest& request, Processes& processes) {
  const bool here = asks_for_split_file(request);
  const std::string unlike = processes.first_unlike(here ? 1 : 0);
  if (unlike.empty()) return here;
  throw DataError(fmt::format(
      "{} is a file of 'trainyard split' for rank 0, and none for {}, or the other way round",
      request.dataset, unlike));
}

/// The leading process evaluates, and reads all rows.
RowCheck rows_checked_by(const Processes& processes) {
  return processes.leads() ? RowCheck::all : RowCheck::later;
}

}  // namespace

HostData load_once_a_host(const DatasetRequest& request, Processes& processes) {
  if (all_have_split_file(request, processes)) {  // each maps it, and has pages of its own rows
    return {.data = load_dataset(request, rows_checked_by(processes))};
  }
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
