// Training with weights of rows and of classes comes to scikit-learn's optima
// (tests/oracles/weighted_optima.py), from the file to the measures.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/data/catalog.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// A table with a header line: x0 …, y, and w where rows have weights.
std::string table_of(const Json& one, std::size_t features) {
  const auto rows = one["rows"].get<std::vector<double>>();
  const bool weighted = !one["weights"].empty();
  std::string text;
  for (std::size_t f = 0; f < features; ++f) text += fmt::format("x{},", f);
  text += weighted ? "y,w\n" : "y\n";
  for (std::size_t r = 0; r < one["labels"].size(); ++r) {
    for (std::size_t f = 0; f < features; ++f) text += fmt::format("{},", rows[r * features + f]);
    text += one["labels"][r].dump();
    text += weighted ? fmt::format(",{}\n", one["weights"][r].get<double>()) : "\n";
  }
  return text;
}

Dataset rows_of(const Json& one, std::size_t features, const TemporaryFolder& folder) {
  DatasetRequest request;
  request.dataset = folder.write("rows.csv", table_of(one, features)).string();
  request.label_column = "y";
  if (!one["weights"].empty()) request.table.weight_column = "w";
  if (!one["class_weight"].is_null()) request.class_weight = one["class_weight"];
  request.intercept = true;
  return load_dataset(request).train;
}

/// Full-batch gradient descent with Nesterov's momentum.
std::vector<float> trained_on(const Dataset& data, const Model& model) {
  constexpr int steps = 2000;
  const RowRange all{&data, 0, data.rows};
  std::vector<float> w(model.dimension(), 0.0F), velocity = w, gradient = w, ahead = w;
  Workspace workspace;
  for (int step = 0; step < steps; ++step) {
    std::ranges::copy(w, ahead.begin());
    kernels::axpy(-0.9, velocity, ahead);
    model.gradient(ahead, {&all, 1}, gradient, workspace);
    for (std::size_t j = 0; j < w.size(); ++j) {
      velocity[j] = 0.9F * velocity[j] + 0.1F * gradient[j];
      w[j] -= velocity[j];
    }
  }
  return w;
}

/// Of each class the share of its rows that are said to be of it.
std::vector<double> recalls(const Dataset& data, const Model& model, std::span<const float> w) {
  std::vector<double> rows(static_cast<std::size_t>(data.classes), 0.0), hits = rows;
  Workspace workspace;
  for (std::size_t r = 0; r < data.rows; ++r) {
    const RowRange row{&data, r, 1};
    const auto label = static_cast<std::size_t>(data.labels[r]);
    const Tally tally = model.evaluate(w, {&row, 1}, workspace);
    rows[label] += 1.0;
    hits[label] += tally.correct > 0.0 ? 1.0 : 0.0;
  }
  for (std::size_t k = 0; k < rows.size(); ++k) hits[k] /= rows[k];
  return hits;
}

}  // namespace

TEST_CASE("weighted logistic and softmax regression reach scikit-learn's optima",
          "[model][weights]") {
  const Json oracle = test::read_oracle("weighted_optima");
  const auto features = oracle["features"].get<std::size_t>();
  const TemporaryFolder folder;
  for (const Json& one : oracle["cases"]) {
    const Dataset data = rows_of(one, features, folder);
    CAPTURE(data.classes, one["class_weight"].dump());
    REQUIRE(data.features == features + 1);  // the weight column is none
    const auto model =
        make_model({data.classes == 2 ? "logistic" : "softmax", one["l2"].get<double>()}, data);
    const std::vector<float> w = trained_on(data, *model);
    Workspace workspace;
    const RowRange all{&data, 0, data.rows};
    const Tally tally = model->evaluate(w, {&all, 1}, workspace);
    const double objective = tally.loss_sum / static_cast<double>(tally.rows) + model->penalty(w);
    CHECK(objective == Approx(one["objective"].get<double>()).epsilon(1e-5));
    CHECK(tally.correct / tally.weight ==
          Approx(one["weighted_accuracy"].get<double>()).margin(0.005));
    const std::vector<double> found = recalls(data, *model, w);
    double mean = 0.0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k] == Approx(one["recall"][k].get<double>()).margin(0.005));
      mean += found[k] / static_cast<double>(found.size());
    }
    CHECK(mean == Approx(one["balanced_accuracy"].get<double>()).margin(0.005));
  }
}

}  // namespace trainyard
