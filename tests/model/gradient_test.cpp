// Gradients and objectives of all models against definitions in double, on dense and sparse data,
// for every shape of batch that the runtime makes.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::batch_of;
using test::gradient_of;
using test::Problem;
using test::random_parameters;
using test::reference_gradient;
using test::reference_objective;
using test::relative_error;
using test::whole;
using Rows = std::vector<std::size_t>;

constexpr std::size_t problem_rows = 70;

Rows all_rows() {
  Rows rows(problem_rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

struct ModelCase {
  std::string name;
  int classes;  // 1: labels are real numbers
  double l2;
  bool intercept = false;
};

std::string text(const ModelCase& of) {
  return of.name + ", " + std::to_string(of.classes) + " classes, l2 " + std::to_string(of.l2) +
         (of.intercept ? ", intercept" : "");
}

const std::vector<ModelCase>& model_cases() {
  static const std::vector<ModelCase> cases = {{"logistic", 2, 0.0},
                                               {"logistic", 2, 0.3},
                                               {"softmax", 2, 0.0},
                                               {"softmax", 5, 0.2},
                                               {"mlp:6", 3, 0.0},
                                               {"mlp:6", 3, 0.1},
                                               {"mlp:7,5", 4, 0.05},
                                               {"mlp:1", 2, 0.0},
                                               {"least-squares", 1, 0.0},
                                               {"least-squares", 1, 0.3},
                                               {"least-squares", 2, 0.0},
                                               {"least-squares", 2, 0.2},
                                               {"least-squares", 1, 0.0, true},
                                               {"least-squares", 1, 0.3, true},
                                               {"least-squares", 2, 0.3, true},
                                               {"logistic", 2, 0.0, true},
                                               {"logistic", 2, 0.3, true},
                                               {"softmax", 2, 0.0, true},
                                               {"softmax", 5, 0.2, true}};
  return cases;
}

/// check(name and storage as text, model, reference options, problem, data).
template <typename Check>
void for_each_model(const Check& check) {
  for (const ModelCase& model_case : model_cases()) {
    const Problem problem =
        test::make_problem(5, problem_rows, 9, model_case.classes, 0.4, model_case.intercept);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      INFO(text(model_case) << (data->sparse ? ", sparse" : ", dense"));
      const auto model = make_model({model_case.name, model_case.l2}, *data);
      check(model_case, *model, problem.dense, *data);
    }
  }
}

TEST_CASE("gradients agree with finite differences for every shape of batch", "[model]") {
  const std::vector<Rows> batches = {
      all_rows(),              // one range
      {11},                    // one row
      {3},                     // an empty row alone
      {66, 67, 68, 69, 0, 1},  // a share that wraps around
      {5, 40, 5, 3, 62},       // rows drawn with replacement, one of them twice
  };
  for_each_model([&](const ModelCase& model_case, const Model& model, const Dataset& dense,
                     const Dataset& data) {
    const std::vector<float> parameters = random_parameters(model, 1, 0.7);
    for (const Rows& rows : batches) {
      INFO("batch of " << rows.size() << " rows from row " << rows.front());
      const std::vector<double> expected =
          reference_gradient(model_case.name, model_case.l2, dense, rows, parameters);
      const std::vector<float> found = gradient_of(model, parameters, batch_of(data, rows));
      CHECK(relative_error(found, expected) < 2e-6);
    }
  });
}

TEST_CASE("a batch may lie in several data sets", "[model]") {
  const Problem first = test::make_problem(5, 20, 9, 3, 0.4);
  const Problem second = test::make_problem(6, 30, 9, 3, 0.4);
  for (const std::string name : {"softmax", "mlp:4"}) {
    const auto model = make_model({name, 0.1}, first.dense);
    const std::vector<float> parameters = random_parameters(*model, 1, 0.5);
    const std::vector<RowRange> both = {{&first.dense, 4, 6}, {&second.dense, 10, 2}};
    const std::vector<RowRange> left = {both[0]}, right = {both[1]};
    const std::vector<float> found = gradient_of(*model, parameters, both);
    const std::vector<float> a = gradient_of(*model, parameters, left);
    const std::vector<float> b = gradient_of(*model, parameters, right);
    std::vector<double> expected(found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 0.75 * a[i] + 0.25 * b[i];
    CHECK(relative_error(found, expected) < 1e-6);
  }
}

TEST_CASE("evaluate and penalty together are the objective", "[model]") {
  for_each_model([&](const ModelCase& model_case, const Model& model, const Dataset& dense,
                     const Dataset& data) {
    const std::vector<float> parameters = random_parameters(model, 2, 0.7);
    const std::vector<double> exact(parameters.begin(), parameters.end());
    Workspace workspace;
    const Tally tally = model.evaluate(parameters, whole(data), workspace);
    CHECK(tally.rows == problem_rows);
    const double objective = tally.loss_sum / problem_rows + model.penalty(parameters);
    CHECK(objective ==
          Approx(reference_objective(model_case.name, model_case.l2, dense, all_rows(), exact))
              .epsilon(1e-6));
  });
}

TEST_CASE("dense and sparse storage give the same numbers", "[model]") {
  for (const ModelCase& model_case : model_cases()) {
    INFO(text(model_case));
    const Problem problem =
        test::make_problem(8, problem_rows, 150, model_case.classes, 0.2, model_case.intercept);
    const auto model = make_model({model_case.name, model_case.l2}, problem.dense);
    const std::vector<float> parameters = random_parameters(*model, 3, 0.3);
    const std::vector<float> dense = gradient_of(*model, parameters, whole(problem.dense));
    const std::vector<float> sparse = gradient_of(*model, parameters, whole(problem.sparse));
    CHECK(relative_error(sparse, std::vector<double>(dense.begin(), dense.end())) < 3e-6);
    Workspace workspace;
    const Tally a = model->evaluate(parameters, whole(problem.dense), workspace);
    const Tally b = model->evaluate(parameters, whole(problem.sparse), workspace);
    CHECK(a.loss_sum == Approx(b.loss_sum).epsilon(1e-6));
    CHECK(a.correct == b.correct);
  }
}

TEST_CASE("same inputs give the same bits, whatever the workspace held", "[model]") {
  for_each_model([&](const ModelCase&, const Model& model, const Dataset&, const Dataset& data) {
    const std::vector<float> parameters = random_parameters(model, 4, 0.5);
    const std::vector<RowRange> batch = batch_of(data, {60, 61, 0, 1, 2, 9});
    const std::vector<float> fresh = gradient_of(model, parameters, batch);
    Workspace workspace;
    for (std::size_t slot = 0; slot < 12; ++slot) {
      for (float& value : workspace.floats(slot, 5000)) value = std::nanf("");
    }
    std::vector<float> used(model.dimension());
    model.evaluate(parameters, whole(data), workspace);
    model.gradient(parameters, batch, used, workspace);
    CHECK(used == fresh);
  });
}

// Softmax over two classes with scores (0, m) is logistic regression with margin m.
TEST_CASE("softmax over two classes is logistic regression", "[model]") {
  const Problem problem = test::make_problem(9, problem_rows, 12, 2, 0.5);
  for (const Dataset* data : {&problem.dense, &problem.sparse}) {
    const auto logistic = make_model({"logistic", 0.0}, *data);
    const auto softmax = make_model({"softmax", 0.0}, *data);
    const std::vector<float> w = random_parameters(*logistic, 5, 0.8);
    std::vector<float> both(2 * w.size(), 0.0F);
    for (std::size_t j = 0; j < w.size(); ++j) both[2 * j + 1] = w[j];
    const std::vector<float> g = gradient_of(*logistic, w, whole(*data));
    const std::vector<float> h = gradient_of(*softmax, both, whole(*data));
    for (std::size_t j = 0; j < w.size(); ++j) {
      CHECK(h[2 * j + 1] == Approx(g[j]).margin(1e-6));
      CHECK(h[2 * j] == Approx(-g[j]).margin(1e-6));
    }
    Workspace workspace;
    const Tally a = logistic->evaluate(w, whole(*data), workspace);
    const Tally b = softmax->evaluate(both, whole(*data), workspace);
    CHECK(a.loss_sum == Approx(b.loss_sum).epsilon(1e-6));
    CHECK(a.correct == b.correct);
  }
}

TEST_CASE("the regulariser leaves biases alone", "[model]") {
  const Problem problem = test::make_problem(10, 20, 3, 2, 1.0);
  const auto plain = make_model({"mlp:2", 0.0}, problem.dense);
  const auto regularised = make_model({"mlp:2", 10.0}, problem.dense);
  // W1 3×2, b1 2, W2 2×2, b2 2.
  const std::vector<float> w = random_parameters(*plain, 6, 1.0);
  REQUIRE(w.size() == 14);
  const std::vector<float> a = gradient_of(*plain, w, whole(problem.dense));
  const std::vector<float> b = gradient_of(*regularised, w, whole(problem.dense));
  double squares = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const bool bias = i == 6 || i == 7 || i == 12 || i == 13;
    CHECK(b[i] - a[i] == Approx(bias ? 0.0 : 10.0 * w[i]).margin(2e-5));
    if (!bias) squares += static_cast<double>(w[i]) * w[i];
  }
  CHECK(regularised->penalty(w) == Approx(5.0 * squares));
  CHECK(plain->penalty(w) == 0.0);
}

TEST_CASE("the regulariser leaves an intercept alone", "[model]") {
  for (const auto& [name, classes] :
       {std::pair{"logistic", 2}, {"softmax", 3}, {"least-squares", 1}, {"least-squares", 2}}) {
    const Problem problem = test::make_problem(10, 20, 4, classes, 0.8, true);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      INFO(name << ", " << classes << " classes" << (data->sparse ? ", sparse" : ", dense"));
      const auto plain = make_model({name, 0.0}, *data);
      const auto regularised = make_model({name, 10.0}, *data);
      const std::vector<float> w = random_parameters(*plain, 6, 1.0);
      const std::vector<float> a = gradient_of(*plain, w, whole(*data));
      const std::vector<float> b = gradient_of(*regularised, w, whole(*data));
      const std::size_t free = w.size() / 4;  // one weight for each number that a row gives
      double squares = 0.0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        const bool intercept = i >= w.size() - free;
        CHECK(b[i] - a[i] == Approx(intercept ? 0.0 : 10.0 * w[i]).margin(2e-5));
        if (!intercept) squares += static_cast<double>(w[i]) * w[i];
      }
      CHECK(regularised->penalty(w) == Approx(5.0 * squares));
    }
  }
}

TEST_CASE("a step is the gradient and then axpy, bit for bit", "[model]") {
  for_each_model([](const ModelCase&, const Model& model, const Dataset&, const Dataset& data) {
    // One row, a few, several ranges, and more rows than the matrix product sums in one go.
    const std::vector<std::vector<RowRange>> batches = {
        {{&data, 5, 1}},
        {{&data, 3, 9}},
        {{&data, 60, 10}, {&data, 0, 2}},
        {{&data, 0, 70}, {&data, 0, 70}, {&data, 0, 70}, {&data, 0, 70}}};
    for (const std::vector<RowRange>& batch : batches) {
      CAPTURE(row_count(batch));
      std::vector<float> stepped = random_parameters(model, 4, 0.5);
      std::vector<float> expected = stepped;
      kernels::axpy(-0.3F, gradient_of(model, stepped, batch), expected);
      Workspace workspace;
      model.descend(stepped, batch, 0.3F, workspace);
      CHECK(stepped == expected);
    }
  });
}

}  // namespace
}  // namespace trainyard
