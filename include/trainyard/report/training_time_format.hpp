// Training times as a table and as JSON.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <span>
#include <string>

#include "trainyard/analysis/training_time.hpp"

namespace trainyard {

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
