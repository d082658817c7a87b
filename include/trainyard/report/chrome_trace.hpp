// A trace as Chrome Trace Event JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// Every rank is a process with three tracks: what its program does (compute, transfer, wait), what
// its send port does and what its receive port does. An arrow goes from each message on the send
// port to the same message on the receive port. Times are microseconds of the run's clock.
//
// Threads: any; it returns text and touches nothing else.
#pragma once

#include <string>

#include "trainyard/runtime/trace.hpp"

namespace trainyard {

/// Format: "Trace Event Format", JSON object form; events X (complete), s and f (flow), M
/// (metadata).
std::string chrome_trace(const Trace& trace);

}  // namespace trainyard
