// Predictions and measures as text.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/scoring/file_scoring.hpp"

namespace trainyard {

/// The header line of a CSV file of predictions: "class,p_no,p_yes"; "value"; of least squares on
/// two classes "class,value". With the label before them where rows are `labelled`.
std::string predictions_csv_header(const std::vector<std::string>& classes, const ScoredRows& part);

/// A line a row. What a row has no prediction for is empty.
std::string predictions_csv(const std::vector<std::string>& classes, const ScoredRows& part);

/// What is known of the predictions of a whole file, for a terminal.
std::string scored_text(const std::string& title, const std::vector<std::string>& classes,
                        const Scored& scored);

/// The same as a JSON document (docs/results.md), which is also what a page draws. `model` and
/// `file` are where they came from.
std::string scored_json(const std::string& model, const std::string& file,
                        const std::vector<std::string>& classes, const Scored& scored);

}  // namespace trainyard
