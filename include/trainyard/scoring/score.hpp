// What a trained model says of rows.
//
//   Predictions said = predictions(trained, rows);   // rows are prepared()
//
// Threads: any; rows are dealt to all cores, and the result does not depend on how many.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/scoring/trained_model.hpp"

namespace trainyard {

/// Of a model of K classes: each row's class, and K probabilities. Of least squares: x·w, and where
/// it was trained on two classes, as −1 and +1, the class by its sign, but no probabilities.
struct Predictions {
  std::size_t rows = 0;
  std::size_t classes = 0;              // 0: labels are real numbers
  std::vector<Label> labels{};          // [rows], or empty
  std::vector<double> probabilities{};  // [rows × classes], or empty
  std::vector<double> values{};         // [rows], or empty
  /// [rows], or empty where nothing is missing: rows that lack a field, of a model that was trained
  /// on rows without missing fields (MissingFields::drop). All of their numbers are NaN.
  std::vector<bool> missing{};
};

/// Throws UsageError for a model that predicts nothing (Model::outputs()).
Predictions predictions(const TrainedModel& trained, const Dataset& rows);

}  // namespace trainyard
