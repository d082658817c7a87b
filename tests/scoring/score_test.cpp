// What a model says of rows, against the formulas of docs/results.md worked out here in double.
#include "trainyard/scoring/score.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/generate.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Numbers = std::vector<double>;

/// A model with parameters drawn at random, for rows like those of `data`.
TrainedModel drawn_model(const std::string& name, const Dataset& data, unsigned seed) {
  TrainedModel trained;
  trained.name = name;
  trained.preparation.sparse = data.sparse;
  trained.preparation.features = data.features;
  trained.preparation.classes = data.targets.empty() ? data.classes : 1;
  trained.model = make_model({.name = name}, data);
  trained.parameters = VectorBuffer(trained.model->scalar(), trained.model->dimension());
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 0.5F);
  for (float& w : trained.parameters.view().floats()) w = normal(random);
  return trained;
}

Numbers dense_row(const Dataset& data, std::size_t row) {
  Numbers x(data.features, 0.0);
  if (!data.sparse) {
    std::ranges::copy(data.dense_row(row), x.begin());
    return x;
  }
  const auto from = data.sparse_row(row);
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    x[from.columns[i]] = static_cast<double>(from.values[i]);
  }
  return x;
}

/// x W, W inputs × outputs, row by row.
Numbers times(const Numbers& x, std::span<const float> w, std::size_t outputs) {
  Numbers y(outputs, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t o = 0; o < outputs; ++o) {
      y[o] += x[i] * static_cast<double>(w[i * outputs + o]);
    }
  }
  return y;
}

Numbers softmax(Numbers scores) {
  double sum = 0.0;
  for (double& s : scores) sum += s = std::exp(s);
  for (double& s : scores) s /= sum;
  return scores;
}

/// Layer by layer: weights, inputs × outputs, then biases; ReLU between layers.
Numbers network(Numbers x, std::span<const float> w, const std::vector<std::size_t>& outputs) {
  for (std::size_t l = 0; l < outputs.size(); ++l) {
    Numbers y = times(x, w.first(x.size() * outputs[l]), outputs[l]);
    w = w.subspan(x.size() * outputs[l]);
    for (std::size_t o = 0; o < outputs[l]; ++o) {
      y[o] += static_cast<double>(w[o]);
      if (l + 1 < outputs.size()) y[o] = std::max(y[o], 0.0);
    }
    w = w.subspan(outputs[l]);
    x = y;
  }
  return x;
}

void check_probabilities(const Predictions& said, std::size_t row, const Numbers& expected) {
  REQUIRE(said.classes == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CHECK(std::abs(said.probabilities[row * said.classes + k] - expected[k]) < 1e-6);
  }
  const auto label = static_cast<std::size_t>(said.labels[row]);
  CHECK(expected[label] > *std::ranges::max_element(expected) - 1e-6);
}

}  // namespace

TEST_CASE("logistic regression's probabilities are the sigmoid's of x·w", "[scoring]") {
  for (const Dataset& data :
       {generate_dense_logistic(700, 9, 3),
        [] { return find_generator("sparse-logistic")->generator->make(3, 700); }().train}) {
    const TrainedModel trained = drawn_model("logistic", data, 5);
    const Predictions said = predictions(trained, data);
    for (std::size_t row = 0; row < data.rows; ++row) {
      const double margin =
          times(dense_row(data, row), trained.parameters.view().floats(), 1).front();
      const double p = 1.0 / (1.0 + std::exp(-margin));
      check_probabilities(said, row, {1.0 - p, p});
    }
    CHECK(said.values.empty());
    CHECK(said.missing.empty());
  }
}

TEST_CASE("softmax regression's and a network's probabilities are those of their scores",
          "[scoring]") {
  const Dataset data = generate_blobs(600, 7, 4, 1.0, 3);
  const TrainedModel linear = drawn_model("softmax", data, 7);
  const TrainedModel deep = drawn_model("mlp:6,5", data, 8);
  const Predictions of_linear = predictions(linear, data), of_deep = predictions(deep, data);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const Numbers x = dense_row(data, row);
    check_probabilities(of_linear, row, softmax(times(x, linear.parameters.view().floats(), 4)));
    check_probabilities(of_deep, row,
                        softmax(network(x, deep.parameters.view().floats(), {6, 5, 4})));
  }
}

TEST_CASE("least squares say x·w, and on two classes its sign", "[scoring]") {
  Dataset data = generate_dense_logistic(300, 5, 3);
  const TrainedModel of_classes = drawn_model("least-squares", data, 9);
  const Predictions said = predictions(of_classes, data);
  CHECK(said.probabilities.empty());
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double value =
        times(dense_row(data, row), of_classes.parameters.view().floats(), 1).front();
    CHECK(said.values[row] == Approx(value).margin(1e-5));
    CHECK(said.labels[row] == (said.values[row] > 0.0 ? 1 : 0));
  }
  data.targets = AlignedBuffer<float>::zeroed(data.rows);
  data.classes = 1;
  const Predictions real = predictions(drawn_model("least-squares", data, 9), data);
  CHECK(real.values == said.values);
  CHECK(real.labels.empty());
  CHECK(real.classes == 0);
}

TEST_CASE("a row that lacks a field has no prediction", "[scoring]") {
  Dataset data = generate_dense_logistic(4, 3, 3);
  data.dense[1 * 3 + 2] = std::numeric_limits<float>::quiet_NaN();
  const Predictions said = predictions(drawn_model("logistic", data, 1), data);
  CHECK(said.missing == std::vector<bool>{false, true, false, false});
  CHECK(std::isnan(said.probabilities[2]));
  CHECK_FALSE(std::isnan(said.probabilities[4]));
}

TEST_CASE("a model that predicts nothing is refused", "[scoring]") {
  const Dataset data = generate_dense_logistic(4, 6, 3);
  TrainedModel trained;
  trained.name = "quadratic";
  trained.model = make_model({.name = "quadratic"}, data);
  CHECK_THROWS_AS(predictions(trained, data), UsageError);
}

}  // namespace trainyard
