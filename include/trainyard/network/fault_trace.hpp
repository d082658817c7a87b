// When workers were there and when not, as somebody has recorded it: machines that a cloud gives
// and takes away, telephones that are idle and charged for some hours of a day.
//
//   --fault trace:FILE
//
// A file has one of two forms. Lines `ms,add|remove,node`, as Bamboo's simulator reads them (Thorpe
// et al. 2023): milliseconds of the run's clock in rising order, and a node. Where all nodes are
// numbers they are workers; whose first line is `add` is down until then, whom no line names is
// always up. Where they have other names, a node that is added takes the lowest place of a worker
// that is free, or waits until one is, first come, first served: workers without a node are down.
//
// Or JSON as FedScale's availability (Lai et al. 2022), {"client": {"active": […], "inactive": […],
// "finish_time": …}, …} in seconds: a client is up from active[i] to inactive[i], and again in each
// period of finish_time. Worker w has the entry w modulo their number, in the file's order.
//
// Threads: a value that does not change; any may read it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/faults.hpp"
#include "trainyard/network/outages.hpp"

namespace trainyard {

/// A node comes, or goes.
struct NodeChange {
  Time at{0};
  bool adds = false;
  std::string node{};
  std::size_t line = 0;
};

/// A client is up in these stretches of each period, which do not meet, in rising order; at least
/// one, which ends no later than the period.
struct ClientTimes {
  std::vector<FaultTime> up{};
  Duration period{0};
};

struct FaultTrace {
  std::string file;                    // as it was given
  std::uint64_t content = 0;           // a fingerprint of what it holds
  bool names_workers = false;          // nodes are ranks of workers
  std::vector<NodeChange> changes{};   // of the first form
  std::vector<ClientTimes> clients{};  // of the second one
};

/// Throws UsageError, "WHAT: FILE:LINE: what was found; what is accepted".
FaultTrace read_fault_trace(const std::string& file, std::string_view what);
/// Reads it from text; `name` stands for "WHAT: FILE". The trace has no file.
FaultTrace parse_fault_trace(std::string_view text, const std::string& name);

/// Of one worker.
struct TracedOutages {
  std::vector<FaultTime> once{};
  OutageCycle cycle{};
};
TracedOutages outages_in(const FaultTrace& trace, int worker, int workers);

/// Throws OptionError with the line where it names a worker that is not there.
void check_workers_of(const FaultTrace& trace, int workers);

}  // namespace trainyard
