// Predictions as tables and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trainyard/analysis/exchange_bounds.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/run/notes.hpp"

namespace trainyard {

/// What is to be known of all of them; it goes with the document and stands under the table.
std::vector<Note> prediction_notes(const std::vector<Prediction>& predictions);

/// {"workers", "parameters", …, "rows": [{"label", "scheme", "way", "servers", "closed_form_s",
/// "step_s", "epoch_s", "messages_per_step", "bytes_per_step"}, …], "exchange_bounds":
/// {"transmit_s", "reduce_s", "update_s", "rows": [{"name", "formula", "seconds"}, …]}}. What does
/// not apply is null.
std::string prediction_json(const PredictionSetting& setting,
                            const std::vector<Prediction>& predictions, const ExchangeCosts& costs);
std::string prediction_table(const PredictionSetting& setting,
                             const std::vector<Prediction>& predictions,
                             const ExchangeCosts& costs);

/// {"vary", "unit", "workers", …, "points": [{"value", "cheapest", "rows": […], "lower_bounds": [{"name",
/// "formula", "seconds"}, …]}, …], "crossings": [{"low", "high", "before", "after"}, …]}: values in
/// seconds, bytes, bytes a second, numbers, or texts; of the setting what is not varied. REQUIRES:
/// costs of each point.
std::string sweep_json(const PredictionSetting& setting, const SweepResult& result,
                       std::span<const ExchangeCosts> costs);
/// A line a value, a column a scheme, the cheapest marked; the crossing points beneath, and then
/// the lower bounds.
std::string sweep_table(const SweepResult& result, std::span<const ExchangeCosts> costs);

}  // namespace trainyard
