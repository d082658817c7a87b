// Which data a configuration asks for.
#include "trainyard/run/run.hpp"

namespace trainyard {

DatasetRequest dataset_request(const Configuration& c) {
  return {.dataset = c.dataset,
          .test = c.test,
          .format = c.data_format,
          .data_dir = c.data_dir,
          .labels = c.labels,
          .test_labels = c.test_labels,
          .label_column = c.label_column,
          .table = c.table,
          .first_index = c.first_index,
          .labels_used = c.model != "quadratic",
          .real_labels = c.model == "least-squares" && origin_of(c.dataset) == DataOrigin::file,
          .scaling = c.scaling,
          .intercept = c.intercept,
          .seed = c.data_seed};
}

}  // namespace trainyard
