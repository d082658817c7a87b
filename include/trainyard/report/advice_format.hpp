// Advice, as a screen of text and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>

#include "trainyard/analysis/advice.hpp"

namespace trainyard {

std::string advice_text(const AdviceQuestion& question, const Advice& advice);

/// {"workers", "parameters", …, "settings", "alone_rows_per_s", "ideal_rows_per_s", "schemes":
/// [{"label", "as_one", "learns", "step_s", "rows_per_s", "share"}, …], "left_out", "limits":
/// [{"name", "seconds"}, …], "levers": [{"what", "scheme", "changes", "step_s", "rows_per_s",
/// "factor", "cost"}, …], "need": {"share", "bandwidth_bytes_per_s", "most_share"},
/// "worker_counts": [{"workers", "step_s", "relative_time"}, …], "measured": {"rows_per_s",
/// "scheme", "expected_rows_per_s", "explanations": [{"what", "changes"}, …]}}: "changes" by the
/// options' names; "measured" null where nothing was.
std::string advice_json(const AdviceQuestion& question, const Advice& advice);

}  // namespace trainyard
