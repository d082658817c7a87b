// What netcheck found, as JSON or a table.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>
#include <vector>

#include "trainyard/analysis/netcheck.hpp"

namespace trainyard {

/// {"latency_s", "bandwidth_bytes_per_s" (null: no limit), "rows": [{"collective", "workers",
/// "messages_per_rank", "bytes_per_rank", "closed_form_s", "measured_s", "measured_p99_s",
/// "ratio"}, …]}
std::string netcheck_json(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options);
std::string netcheck_table(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options);

}  // namespace trainyard
