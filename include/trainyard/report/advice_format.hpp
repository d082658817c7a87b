// Advice, as a screen of text and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/study/advice_map.hpp"
#include "trainyard/study/target_times.hpp"

namespace trainyard {

/// `times`: nullptr where nothing was trained.
std::string advice_text(const AdviceQuestion& question, const Advice& advice,
                        const TargetTimes* times = nullptr);

/// {"workers", "parameters", …, "settings", "alone_rows_per_s", "ideal_rows_per_s", "schemes":
/// [{"label", "as_one", "learns", "step_s", "rows_per_s", "share", "memory_bytes"}, …], "left_out",
/// "limits":
/// [{"name", "seconds"}, …], "levers": [{"what", "scheme", "changes", "step_s", "rows_per_s",
/// "factor", "cost"}, …], "need": {"share", "bandwidth_bytes_per_s", "most_share"},
/// "worker_counts": [{"workers", "step_s", "relative_time"}, …], "checkpoints": {"checkpoint_s",
/// "mtbf_s", "steps", "interval_s", "factor", "checkpoint_share", "lost_share", "expected_s"},
/// "measured": {"rows_per_s",
/// "scheme", "expected_rows_per_s", "explanations": [{"what", "changes"}, …]}}: "changes" by the
/// options' names; "checkpoints" and "measured" null where nothing was said of them. "target": null
/// where nothing was trained, else {"what", "rows", "seeds", "most_passes", "evaluate_every",
/// "interrupted", "at_start", "left_out", "ways":
/// [{"label", "step_size", "passes", "half_width", "seconds", "unheard"}, …]}, the soonest first.
/// "sentences": what the text begins with. "map": null without one, else {"latencies_s",
/// "bandwidths_bytes_per_s", "by_passes", "cells": [{"first", "step_s", "ahead"}, …]}, row by row,
/// a row for each bandwidth.
std::string advice_json(const AdviceQuestion& question, const Advice& advice,
                        const TargetTimes* times = nullptr, const AdviceMap* map = nullptr);

}  // namespace trainyard
