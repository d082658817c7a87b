// A trained model that stands alone: its parameters, and all that made rows of the training file's
// lines. A folder of a run holds it as model.npy and model.json (docs/results.md).
//
//   const TrainedModel trained = open_trained_model("results/ring");
//   RowWindows windows("new.csv", reading_of(trained.preparation, "new.csv", Format::csv));
//   …
//
// Threads: values like any other.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/preparation.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

struct TrainedModel {
  std::filesystem::path folder;  // that its files are in
  std::string name;              // as --model has it: "logistic", "mlp:256,128"
  Preparation preparation;
  std::unique_ptr<Model> model;
  VectorBuffer parameters;  // [model->dimension()], in its scalar
};

/// What model.json says of a model of that name, trained on rows that were made by `preparation`.
/// Two-space indented, with a newline at its end.
std::string trained_model_json(std::string_view name, const Preparation& preparation);

/// The model of that name for rows that were made by `preparation`. Throws UsageError for a name
/// that is none, or not for such rows.
std::unique_ptr<Model> model_for(const std::string& name, const Preparation& preparation);

/// Of a run's folder, or of one whose only folder is that. Throws UsageError where there is no
/// such folder; DataError where its files do not hold a model, or not the same one.
TrainedModel open_trained_model(const std::filesystem::path& folder);

}  // namespace trainyard
