// Splits of a network among workers, as a table and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>

#include "trainyard/analysis/split_search.hpp"
#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

/// The ten best, and data parallelism alone if it is not among them.
std::string split_search_table(const Configuration& setting, const SplitSearch& search);

/// {"workers", "model", "batch", "left_out", "rows": [{"split", "dp", "pp", "tp",
/// "microbatches", "step_s", "compute_s", "in_stages_s", "gradients_s", "wait_s", "bytes_held"},
/// …]}, all of them, the fastest first.
std::string split_search_json(const Configuration& setting, const SplitSearch& search);

}  // namespace trainyard
