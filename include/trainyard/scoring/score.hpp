// What a trained model says of rows.
//
//   Predictions said = predictions(trained, rows);   // rows are prepared()
//
// Threads: any; rows are dealt to all cores, and the result does not depend on how many.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
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

/// `name` is the model's (ModelOptions::name). Throws UsageError for a model that predicts nothing
/// (Model::outputs()).
Predictions predictions(const Model& model, std::string_view name, ConstVector parameters,
                        const Dataset& rows);
inline Predictions predictions(const TrainedModel& trained, const Dataset& rows) {
  return predictions(*trained.model, trained.name, trained.parameters.view(), rows);
}

/// Least squares on two classes, −1 and +1, gives no probabilities: its values rank the rows.
/// [values × 2], as ClassMeasuring takes them.
std::vector<double> rank_values(std::span<const double> values);

}  // namespace trainyard
