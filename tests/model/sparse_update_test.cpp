// The two-halves SGD step of sparse linear models: its formula, its expectation, and its being safe
// to run from several threads at once.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "trainyard/model/model.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::batch_of;
using test::Problem;
using test::random_parameters;
using Rows = std::vector<std::size_t>;

struct LinearCase {
  std::string name;
  int classes;  // 1: labels are real numbers
  bool intercept = false;
};
const std::vector<LinearCase> linear_cases = {
    {"logistic", 2},      {"softmax", 2},        {"softmax", 5},       {"least-squares", 1},
    {"least-squares", 2}, {"logistic", 2, true}, {"softmax", 5, true}, {"least-squares", 1, true}};

/// Parameters of the given size for features that occur; zero for the others, as training leaves
/// them.
std::vector<float> parameters_of_occurring(const Model& model, const Dataset& sparse) {
  std::vector<float> parameters = random_parameters(model, 1, 0.6);
  const std::size_t width = parameters.size() / sparse.features;
  for (std::size_t j = 0; j < sparse.features; ++j) {
    if (std::count(sparse.columns.begin(), sparse.columns.end(), j) > 0) continue;
    std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(j * width), width, 0.0F);
  }
  return parameters;
}

void step(const Model& model, std::span<float> parameters, Batch batch, float step_size) {
  const Model::SparseUpdate& update = *model.sparse_update();
  std::vector<float> residuals(update.residual_count(row_count(batch)), std::nanf(""));
  update.read(parameters, batch, residuals);
  update.write(parameters, batch, residuals, step_size);
}

TEST_CASE("sparse updates exist for sparse linear models only", "[model]") {
  const Problem problem = test::make_problem(1, 20, 6, 2, 0.5);
  for (const std::string name : {"logistic", "softmax", "least-squares"}) {
    CHECK(make_model({name, 0.0}, problem.sparse)->sparse_update() != nullptr);
    CHECK(make_model({name, 0.0}, problem.dense)->sparse_update() == nullptr);
  }
  CHECK(make_model({"mlp:3", 0.0}, problem.sparse)->sparse_update() == nullptr);
}

TEST_CASE("a sparse step without regulariser is a gradient step", "[model]") {
  for (const auto& [name, classes, intercept] : linear_cases) {
    const Problem problem = test::make_problem(2, 40, 30, classes, 0.2, intercept);
    const auto model = make_model({name, 0.0}, problem.sparse);
    for (const Rows& rows : {Rows{7}, Rows{3}, Rows{38, 39, 0, 1}, Rows{5, 20, 5}}) {
      INFO(name << ", " << rows.size() << " rows from " << rows.front());
      const std::vector<RowRange> batch = batch_of(problem.sparse, rows);
      std::vector<float> parameters = random_parameters(*model, 3, 0.5);
      const std::vector<float> gradient = test::gradient_of(*model, parameters, batch);
      std::vector<double> expected(parameters.begin(), parameters.end());
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= 0.3 * gradient[i];
      step(*model, parameters, batch, 0.3F);
      CHECK(test::relative_error(parameters, expected) < 1e-6);
    }
  }
}

// Rows in turn, each seeing what the row before it wrote; residuals are those of the beginning.
TEST_CASE("a regularised sparse step follows its formula row by row", "[model]") {
  const double l2 = 0.05, step_size = 0.4;
  for (const auto& [name, classes, intercept] : linear_cases) {
    INFO(name << ", " << classes << " classes" << (intercept ? ", intercept" : ""));
    const Problem problem = test::make_problem(3, 40, 12, classes, 0.3, intercept);
    const Dataset& data = problem.sparse;
    const auto model = make_model({name, l2}, data);
    const std::size_t width = model->dimension() / data.features;
    const std::vector<RowRange> batch = batch_of(data, {12, 13, 14, 13});
    std::vector<float> parameters = random_parameters(*model, 4, 0.5);
    std::vector<float> residuals(model->sparse_update()->residual_count(4));
    model->sparse_update()->read(parameters, batch, residuals);
    std::vector<double> expected(parameters.begin(), parameters.end());
    std::size_t r = 0;
    for (const std::size_t row : {12U, 13U, 14U, 13U}) {
      const Dataset::SparseRow entries = data.sparse_row(row);
      for (std::size_t i = 0; i < entries.columns.size(); ++i) {
        const std::uint32_t j = entries.columns[i];
        const double frequency =
            static_cast<double>(std::count(data.columns.begin(), data.columns.end(), j)) / 40.0;
        const double pull = intercept && j == 11 ? 0.0 : l2 / (4 * frequency);
        for (std::size_t c = 0; c < width; ++c) {
          double& w = expected[j * width + c];
          w -= step_size * (residuals[r * width + c] * entries.values[i] + pull * w);
        }
      }
      ++r;
    }
    model->sparse_update()->write(parameters, batch, residuals, static_cast<float>(step_size));
    CHECK(test::relative_error(parameters, expected) < 1e-6);
  }
}

// The mean over all rows of what one row's step takes away is γ times the whole gradient, λw
// included: a sum over a finite set, so exact but for rounding.
TEST_CASE("sparse steps are exact in expectation", "[model]") {
  const float step_size = 0.25F;
  for (const auto& [name, classes, intercept] : linear_cases) {
    for (const double l2 : {0.0, 0.02}) {
      INFO(name << ", " << classes << " classes, l2 " << l2 << (intercept ? ", intercept" : ""));
      const Problem problem = test::make_problem(4, 60, 25, classes, 0.15, intercept);
      const auto model = make_model({name, l2}, problem.sparse);
      const std::vector<float> before = parameters_of_occurring(*model, problem.sparse);
      std::vector<double> mean(before.size(), 0.0);
      for (std::size_t r = 0; r < problem.sparse.rows; ++r) {
        std::vector<float> after = before;
        step(*model, after, batch_of(problem.sparse, {r}), step_size);
        for (std::size_t i = 0; i < mean.size(); ++i) {
          mean[i] +=
              (static_cast<double>(before[i]) - after[i]) / (static_cast<double>(step_size) * 60.0);
        }
      }
      const std::vector<float> gradient =
          test::gradient_of(*model, before, test::whole(problem.sparse));
      CHECK(test::relative_error(gradient, mean) < 3e-6);
    }
  }
}

// With μ a weight is shrunk after its step, by γ μ / (|batch| p_j) where the feature occurs: over
// all rows as much as a step of all would, as long as it is not there yet.
TEST_CASE("a shrunk sparse step follows its formula, and stops at zero", "[model]") {
  const double l2 = 0.05, l1 = 0.15, step_size = 0.4;
  std::size_t zeros = 0;
  for (const auto& [name, classes, intercept] : linear_cases) {
    INFO(name << ", " << classes << " classes" << (intercept ? ", intercept" : ""));
    const Problem problem = test::make_problem(3, 40, 12, classes, 0.3, intercept);
    const Dataset& data = problem.sparse;
    const auto model = make_model({name, l2, l1}, data);
    const std::size_t width = model->dimension() / data.features;
    const std::vector<RowRange> batch = batch_of(data, {12, 13});
    std::vector<float> parameters = random_parameters(*model, 4, 0.1);
    std::vector<float> residuals(model->sparse_update()->residual_count(2));
    model->sparse_update()->read(parameters, batch, residuals);
    std::vector<double> expected(parameters.begin(), parameters.end());
    std::vector<float> by_swaps = parameters;
    std::size_t r = 0;
    for (const std::size_t row : {12U, 13U}) {
      const Dataset::SparseRow entries = data.sparse_row(row);
      for (std::size_t i = 0; i < entries.columns.size(); ++i) {
        const std::uint32_t j = entries.columns[i];
        const double frequency =
            static_cast<double>(std::count(data.columns.begin(), data.columns.end(), j)) / 40.0;
        const double share = intercept && j == 11 ? 0.0 : 1.0 / (2 * frequency);
        for (std::size_t c = 0; c < width; ++c) {
          double& w = expected[j * width + c];
          w -= step_size * (residuals[r * width + c] * entries.values[i] + l2 * share * w);
          const double bound = step_size * l1 * share;
          w = w > bound ? w - bound : w < -bound ? w + bound : 0.0;
        }
      }
      ++r;
    }
    model->sparse_update()->write(parameters, batch, residuals, static_cast<float>(step_size));
    CHECK(test::relative_error(parameters, expected) < 1e-6);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] != 0.0) continue;
      CHECK(parameters[i] == 0.0F);
      ++zeros;
    }
    model->sparse_update()->add(by_swaps, batch, residuals, static_cast<float>(step_size));
    CHECK(by_swaps == parameters);
  }
  CHECK(zeros > 10);
}

// A feature in 1 of 10,000 rows has λ/p = 10,000 λ: with γ = 1 and λ = 1e-3 the formula alone would
// multiply its weight by -9 at each occurrence.
TEST_CASE("the pull of a rare feature stops at zero", "[model]") {
  const std::size_t rows = 10000;
  Dataset data;
  data.rows = rows;
  data.features = 2;
  data.labels = AlignedBuffer<Label>::zeroed(rows);
  data.sparse = true;
  std::vector<std::uint64_t> begin(rows + 1);
  for (std::size_t r = 0; r <= rows; ++r) begin[r] = r + (r > 0 ? 1 : 0);
  std::vector<std::uint32_t> columns(rows + 1, 0);
  columns[1] = 1;
  data.row_begin = AlignedBuffer<std::uint64_t>::copy_of(begin);
  data.columns = AlignedBuffer<std::uint32_t>::copy_of(columns);
  data.values = AlignedBuffer<float>::copy_of(std::vector<float>(rows + 1, 1.0F));
  for (const std::string name : {"logistic", "softmax", "least-squares"}) {
    const auto model = make_model({name, 1e-3}, data);
    const std::size_t width = model->dimension() / 2;
    std::vector<float> w(model->dimension(), 2.0F);
    const std::vector<float> none(model->sparse_update()->residual_count(1), 0.0F);
    const std::vector<RowRange> row = {{&data, 0, 1}};
    model->sparse_update()->write(w, row, none, 1.0F);
    for (std::size_t c = 0; c < width; ++c) {
      CHECK(w[c] == Approx(2.0 * (1.0 - 1e-3)));  // feature 0 is in every row
      CHECK(w[width + c] == 0.0F);                // feature 1
    }
  }
}

// Lost updates are allowed, data races are not: ThreadSanitizer judges. Whoever wins, the shared
// objective falls.
TEST_CASE("several threads may step on the same parameters at once", "[model]") {
  Rows all(200);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const auto& [name, classes, intercept] : linear_cases) {
    INFO(name << ", " << classes << " classes" << (intercept ? ", intercept" : ""));
    const Problem problem = test::make_problem(6, 200, 20, classes, 0.4, intercept);
    const auto model = make_model({name, 1e-3}, problem.sparse);
    std::vector<float> parameters(model->dimension(), 0.0F);
    const auto work = [&](std::size_t first) {
      for (std::size_t i = 0; i < 2000; ++i) {
        step(*model, parameters, batch_of(problem.sparse, {(first + i) % 200}), 0.02F);
      }
    };
    std::thread other(work, 100);
    work(0);
    other.join();
    const auto loss_at = [&, name = name](const std::vector<double>& w) {
      return test::reference_objective(name, 0.0, problem.dense, all, w);
    };
    CHECK(loss_at({parameters.begin(), parameters.end()}) <
          0.97 * loss_at(std::vector<double>(parameters.size(), 0.0)));
  }
}

}  // namespace
}  // namespace trainyard
