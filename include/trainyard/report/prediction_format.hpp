// The output of `predict`, as tables and as JSON: predictions, sweeps, where compression pays,
// splits of a network, training times, checkpoints.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/checkpointing.hpp"
#include "trainyard/analysis/exchange_bounds.hpp"
#include "trainyard/analysis/optimal_time.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/split_search.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/analysis/training_time.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/run/notes.hpp"

namespace trainyard {

/// Notes on all of them; they go with the document and stand under the table.
std::vector<Note> prediction_notes(const std::vector<Prediction>& predictions);

/// {"workers", "parameters", …, "settings", "rows": [{"label", "scheme", "way", "servers",
/// "closed_form_s", "step_s", "epoch_s", "messages_per_step", "bytes_per_step"}, …],
/// "lower_bounds": {"transmit_s", "reduce_s", "update_s", "rows": [{"name", "formula", "seconds"},
/// …]}}. "settings": {"ports": "cutthrough", …}, the options that are not as without flags and have
/// no member of their own. What does not apply is null.
std::string prediction_json(const PredictionSetting& setting,
                            const std::vector<Prediction>& predictions, const ExchangeCosts& costs);
std::string prediction_table(const PredictionSetting& setting,
                             const std::vector<Prediction>& predictions,
                             const ExchangeCosts& costs);

/// {"vary", "unit", "workers", …, "settings", "points": [{"value", "cheapest", "rows": […],
/// "lower_bounds":
/// [{"name", "formula", "seconds"}, …]}, …], "crossings": [{"low", "high", "before", "after"}, …]}:
/// values in seconds, bytes, bytes a second, numbers, or texts; of the setting what is not varied.
/// REQUIRES: costs of each point.
std::string sweep_json(const PredictionSetting& setting, const SweepResult& result,
                       std::span<const ExchangeCosts> costs);
/// A line a value, a column a scheme, the cheapest marked; above it what is not varied, beneath it
/// the crossing points, the lower bounds and the notes.
std::string sweep_table(const PredictionSetting& setting, const SweepResult& result,
                        std::span<const ExchangeCosts> costs);

/// {"workers", "parameters", "compute_s", "latency_s", "bandwidth_bytes_per_s", "settings", "rows":
/// [{"scheme", "way", "codec", "encode_s", "decode_s", "plain_step_s", "step_s",
/// "plain_bytes_per_step", "bytes_per_step", "pays", "break_even_bytes_per_s"}, …]}: encode_s and
/// decode_s of a parameter, "pays" "always", "never" or "below".
std::string break_even_json(const PredictionSetting& setting, const std::vector<BreakEven>& rows);
std::string break_even_table(const PredictionSetting& setting, const std::vector<BreakEven>& rows);

/// {"workers", "noise_ratio", "threshold", "best_asynchronous_workers", "best_minibatch_workers",
/// "rows": [{"workers", "slowest_s", "asynchronous_s", "minibatch_s"}, …]}: the last two times
/// LΔ/ε.
std::string optimal_time_json(const PredictionSetting& setting, double noise_ratio,
                              const OptimalTime& found);
std::string optimal_time_table(const PredictionSetting& setting, double noise_ratio,
                               const OptimalTime& found);

/// {"checkpoint_s", "restart_s", "mtbf_s", "workers", "worker_mtbf_s", "run_s", "rows": [{"rule",
/// "interval_s", "factor", "work_share", "checkpoint_share", "lost_share", "expected_s",
/// "failures"}, …], "steps": {"workers", "parameters", …, "settings", "rows": [{"label", "scheme",
/// "way", "step_s", "step_error_s", "steps", "interval_s", …}, …]}}: "rule" "young", "daly",
/// "optimum", or "end", which is one checkpoint at the end of a run whose time is known. "mtbf_s"
/// is of all together; "workers" and "worker_mtbf_s" are null where it is not that of `workers`.
/// "factor", "expected_s" and "failures" are null where the run never ends, the last two where
/// "run_s" is null, too. "steps": of the predictions; null without any.
std::string checkpoint_json(const CheckpointTask& task,
                            const std::optional<WorkerFailures>& workers,
                            const PredictionSetting& setting,
                            const std::vector<Prediction>& predictions);
std::string checkpoint_table(const CheckpointTask& task,
                             const std::optional<WorkerFailures>& workers,
                             const PredictionSetting& setting,
                             const std::vector<Prediction>& predictions);

/// The ten best, and data parallelism alone if it is not among them.
std::string split_search_table(const Configuration& setting, const SplitSearch& search);

/// {"workers", "model", "batch", "left_out", "rows": [{"split", "dp", "pp", "tp",
/// "microbatches", "step_s", "compute_s", "in_stages_s", "gradients_s", "wait_s", "bytes_held"},
/// …]}, all of them, the fastest first.
std::string split_search_json(const Configuration& setting, const SplitSearch& search);

/// {"rows": [{"name", "tokens", "parameters", "devices", "peak_flops", "utilisation", "seconds",
/// "published_seconds", "difference", "published_utilisation", "source"}, …]}: "difference" is the
/// share by which the formula is longer than what was published, "published_utilisation" what that
/// would take. Of a task of one's own the last four and its name are null.
std::string training_time_json(std::span<const PublishedTraining> published);
std::string training_time_json(const TrainingTask& task);

/// A line each, and what there is to say of those that are far from what was published.
std::string training_time_table(std::span<const PublishedTraining> published);
std::string training_time_table(const TrainingTask& task);

}  // namespace trainyard
