// Rows with weights: k times the weight is k times the row, in every way in which a gradient is
// taken.
#include "trainyard/model/row_weights.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "trainyard/model/gradient_parts.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/tensor_split.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::gradient_of;
using test::make_problem;
using test::Problem;
using test::random_parameters;
using test::relative_error;
using test::whole;

namespace {

constexpr std::size_t rows_of_problem = 40;

struct Case {
  std::string name;
  int classes;
  bool intercept;
};
const std::vector<Case> cases{{"logistic", 2, true},      {"logistic", 2, false},
                              {"least-squares", 1, true}, {"least-squares", 2, false},
                              {"softmax", 2, false},      {"softmax", 3, true},
                              {"softmax", 5, false},      {"mlp:4,3", 3, false}};

/// 0, 1, 2, 3, 0, … divided by their mean, and so many times each row.
struct Repeated {
  std::vector<float> weights;
  std::vector<std::size_t> rows;
};
Repeated repeated() {
  Repeated all;
  for (std::size_t row = 0; row < rows_of_problem; ++row) {
    const std::size_t times = row % 4;
    all.weights.push_back(static_cast<float>(times) / 1.5F);
    all.rows.insert(all.rows.end(), times, row);
  }
  return all;
}

Problem weighted_problem(const Case& of, std::uint64_t seed) {
  Problem problem = make_problem(seed, rows_of_problem, 12, of.classes, 0.4, of.intercept);
  for (Dataset* data : {&problem.dense, &problem.sparse}) {
    data->weights = AlignedBuffer<float>::copy_of(repeated().weights);
  }
  return problem;
}

template <typename Look>
void for_each_case(const Look& look) {
  for (const Case& of : cases) {
    const Problem problem = weighted_problem(of, 11);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      CAPTURE(of.name, of.classes, of.intercept, data->sparse);
      const auto model = make_model({of.name, 0.01}, *data);
      look(of, *model, problem.dense, *data);
    }
  }
}

std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("rows that weigh k are as k rows", "[model][weights]") {
  const Repeated all = repeated();
  for_each_case([&](const Case& of, const Model& model, const Dataset& dense, const Dataset& data) {
    const std::vector<float> w = random_parameters(model, 3, 0.5);
    const std::vector<double> expected =
        test::reference_gradient(of.name, 0.01, dense, all.rows, w);
    CHECK(relative_error(gradient_of(model, w, whole(data)), expected) < 3e-6);
    Workspace workspace;
    const Tally tally = model.evaluate(w, whole(data), workspace);
    CHECK(tally.rows == rows_of_problem);
    CHECK(tally.weight == Approx(rows_of_problem).epsilon(1e-6));
    const double objective = tally.loss_sum / tally.weight + model.penalty(w);
    CHECK(objective == Approx(test::reference_objective(of.name, 0.01, dense, all.rows, doubles(w)))
                           .epsilon(2e-6));
    double hits = 0.0;
    for (const std::size_t row : all.rows) {
      const RowRange one{&data, row, 1};
      hits += model.evaluate(w, {&one, 1}, workspace).correct > 0.0 ? 1.0 : 0.0;
    }
    CHECK(tally.correct == Approx(hits / 1.5).epsilon(1e-6));
  });
}

TEST_CASE("weights of 1 change no bit", "[model][weights]") {
  for (const Case& of : cases) {
    Problem problem = make_problem(12, rows_of_problem, 12, of.classes, 0.4, of.intercept);
    for (Dataset* data : {&problem.dense, &problem.sparse}) {
      CAPTURE(of.name, of.classes, data->sparse);
      const auto model = make_model({of.name, 0.01}, *data);
      const std::vector<float> w = random_parameters(*model, 3, 0.5);
      const std::vector<float> plain = gradient_of(*model, w, whole(*data));
      data->weights = AlignedBuffer<float>::copy_of(std::vector<float>(rows_of_problem, 1.0F));
      CHECK(gradient_of(*model, w, whole(*data)) == plain);
    }
  }
}

TEST_CASE("steps on rows with weights go by the gradient", "[model][weights]") {
  for (const Case& of : cases) {
    const Problem problem = weighted_problem(of, 13);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      for (const std::size_t rows : {1U, 3U, 17U}) {
        const RowRange batch{data, 5, rows};
        for (const double l2 : {0.0, 0.01}) {
          CAPTURE(of.name, of.classes, data->sparse, rows, l2);
          const auto model = make_model({of.name, l2}, *data);
          const std::vector<float> w = random_parameters(*model, 4, 0.5);
          std::vector<float> expected = w, found = w;
          const std::vector<float> gradient = gradient_of(*model, w, {&batch, 1});
          kernels::axpy(-0.1, gradient, expected);
          Workspace workspace;
          model->descend(found, {&batch, 1}, 0.1, workspace);
          CHECK(relative_error(found, doubles(expected)) < 1e-6);
          const Model::SparseUpdate* update = model->sparse_update();
          if (update == nullptr || l2 > 0.0) continue;
          std::vector<float> residuals(update->residual_count(rows));
          std::vector<float> shared = w;
          update->read(shared, {&batch, 1}, residuals);
          update->write(shared, {&batch, 1}, residuals, 0.1F);
          CHECK(relative_error(shared, doubles(expected)) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("networks in layers and in parts heed the weights of rows", "[model][weights]") {
  const Problem problem = weighted_problem({"mlp:4,3", 3, false}, 14);
  for (const Dataset* data : {&problem.dense, &problem.sparse}) {
    CAPTURE(data->sparse);
    const auto model = make_model({"mlp:4,6", 0.01}, *data);
    const std::vector<float> w = random_parameters(*model, 5, 0.5);
    const std::vector<RowRange> batch = whole(*data);
    const std::vector<float> expected = gradient_of(*model, w, batch);
    GradientInParts in_parts(*model);
    std::vector<float> found(model->dimension());
    for (const GradientPart& part : in_parts.parts()) {
      in_parts.compute(part, w, batch, found);
    }
    CHECK(found == expected);
  }
}

// An odd number of layers: the last is divided by its classes, and each part has derivatives of its
// own. Here there is one part, which has them all.
TEST_CASE("a network whose scores are divided heeds the weights of rows", "[model][weights]") {
  const Problem problem = weighted_problem({"mlp:4,3", 4, false}, 15);
  const auto model = make_model({"mlp:4,3", 0.0}, problem.dense);
  const std::vector<float> w = random_parameters(*model, 5, 0.5);
  const std::vector<RowRange> batch = whole(problem.dense);
  const std::vector<float> expected = gradient_of(*model, w, batch);
  const Stage all = model->layered()->cut(1).front();
  const TensorSplit lone(*model->layered(), all, 0, 1);
  REQUIRE(lone.scores_are_split());
  Workspace space;
  std::vector<float> held(w), gradient(w.size());
  for (std::size_t block = 0; block < lone.blocks(); ++block) {
    (void)lone.forward(block, held, batch, {}, space);
  }
  (void)lone.greatest_scores(batch, space);
  (void)lone.sums_of_exponentials(batch, space);
  for (std::size_t block = lone.blocks(); block-- > 0;) {
    (void)lone.backward(block, held, batch, {}, {}, gradient, space);
  }
  CHECK(relative_error(gradient, doubles(expected)) < 1e-6);
}

// In double: the same figures to rounding.
TEST_CASE("a quadratic's rows that weigh k are as k rows, in double", "[model][weights]") {
  const auto rows_with = [](std::vector<float> values, std::vector<float> weights) {
    Dataset data;
    data.rows = values.size() / 2;
    data.features = 2;
    data.labels = AlignedBuffer<Label>::zeroed(data.rows);
    data.dense = AlignedBuffer<float>::copy_of(values);
    data.weights = AlignedBuffer<float>::copy_of(weights);
    return data;
  };
  const Dataset weighted = rows_with({1, 2, 3, -1, 0.5F, 4}, {1.5F, 0.0F, 1.5F});
  const Dataset twice = rows_with({1, 2, 0.5F, 4}, {});
  const auto model = make_model({"quadratic", 0.0}, weighted);
  const std::vector<double> x{0.7};
  std::vector<double> a{0.0}, b{0.0};
  Workspace workspace;
  model->gradient(x, whole(weighted), a, workspace);
  model->gradient(x, whole(twice), b, workspace);
  CHECK(a[0] == Approx(b[0]).epsilon(1e-15));
  const Tally of_weighted = model->evaluate(x, whole(weighted), workspace);
  const Tally of_twice = model->evaluate(x, whole(twice), workspace);
  CHECK(of_weighted.loss_sum / of_weighted.weight ==
        Approx(of_twice.loss_sum / of_twice.weight).epsilon(1e-15));
}
