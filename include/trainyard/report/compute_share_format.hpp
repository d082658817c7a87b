// What `predict --compute-share` prints.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/analysis/compute_share.hpp"

namespace trainyard {

struct ComputeShareQuestion {
  ShareTask task{};
  Meetings meetings{};              // of the last row; the others have less of them
  std::vector<double> shares{0.9};  // of the time
};

/// {"workers", "bytes", "compute_s", "latency_s", "period", "fragments", "fragment_delay", "rows":
/// [{"way", "period", "fragments", "fragment_delay", "shares": [{"share": "95%",
/// "bandwidth_bits_per_s"}, …]}, …]}: "way" "every-step", "every-period", "fragments" or
/// "delayed-fragments". null: no bandwidth is enough.
std::string compute_share_json(const ComputeShareQuestion& question);
std::string compute_share_table(const ComputeShareQuestion& question);

}  // namespace trainyard
