// The measures by which models are told apart while they are trained: one number for all of some
// rows. measures.hpp has their definitions.
//
// Threads: any; these are functions of their arguments, and rows are dealt to all cores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// balanced_accuracy is the mean recall over classes. f1, auc and average_precision are those of
/// class 1 of two, and means over the classes of more. mae and r2 are of real labels alone.
enum class MeasureKind {
  loss,
  accuracy,
  balanced_accuracy,
  f1,
  auc,
  average_precision,
  mae,
  r2,
};
/// "loss", "balanced-accuracy", "average-precision". Throws UsageError, naming `what`.
MeasureKind parse_measure_kind(std::string_view text, std::string_view what);
std::string measure_kind_text(MeasureKind kind);

bool larger_is_better(MeasureKind kind);
/// Whether rows with such labels have it.
bool suits_labels(MeasureKind kind, bool real_labels);

/// Of a model of that name (ModelOptions::name); rows count by their weights. Empty where
/// predictions are no numbers, or where a class that it takes does not occur. REQUIRES: there are
/// rows, the model has outputs(), their labels suit, and the kind is not the loss, which
/// Model::evaluate() has.
std::optional<double> measure_of(MeasureKind kind, std::string_view name, const Model& model,
                                 ConstVector parameters, const Dataset& rows);

}  // namespace trainyard
