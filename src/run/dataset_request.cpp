// Which data a configuration asks for.
#include <memory>
#include <utility>

#include "trainyard/model/add_model.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scoring/trained_model.hpp"

namespace trainyard {

namespace {

std::shared_ptr<const StartingModel> opened(const std::string& folder) {
  TrainedModel trained = open_trained_model(folder);
  return std::make_shared<const StartingModel>(
      StartingModel{.folder = folder,
                    .model = std::move(trained.name),
                    .preparation = std::move(trained.preparation),
                    .parameters = std::move(trained.parameters)});
}

}  // namespace

DatasetRequest dataset_request(const Configuration& c) {
  return {.dataset = c.dataset,
          .test = c.test,
          .validation = c.validation,
          .format = c.data_format,
          .data_dir = c.data_dir,
          .labels = c.labels,
          .test_labels = c.test_labels,
          .label_column = c.label_column,
          .table = c.table,
          .group_column = c.partition.column,
          .first_index = c.first_index,
          .labels_used = c.model != "quadratic",
          .real_labels = has_real_labels(c.model) && origin_of(c.dataset) == DataOrigin::file,
          .scaling = c.scaling,
          .intercept = c.intercept,
          .class_weight = c.class_weight,
          .seed = c.data_seed,
          .start = {c.start, opened}};
}

}  // namespace trainyard
