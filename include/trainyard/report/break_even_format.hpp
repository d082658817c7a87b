// Where compression pays, as a table and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>
#include <vector>

#include "trainyard/analysis/break_even.hpp"

namespace trainyard {

/// {"workers", "parameters", "latency_s", "bandwidth_bytes_per_s", "rows": [{"scheme", "way",
/// "codec", "encode_s", "decode_s", "plain_step_s", "step_s", "plain_bytes_per_step",
/// "bytes_per_step", "pays", "break_even_bytes_per_s"}, …]}: encode_s and decode_s of a parameter,
/// "pays" "always", "never" or "below".
std::string break_even_json(const PredictionSetting& setting, const std::vector<BreakEven>& rows);
std::string break_even_table(const PredictionSetting& setting, const std::vector<BreakEven>& rows);

}  // namespace trainyard
