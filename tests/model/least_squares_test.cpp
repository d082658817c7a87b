// Training by least squares ends where the normal equations say. Solved by Eigen in double:
//   (XᵀX/rows + λ D) w = Xᵀy/rows, D the identity, but 0 for an intercept.
//
// Parameters are floats, which is what limits it: a weight is a multiple of 6e-8 of its own size,
// and a row's residual the difference of two floats, exact to about 6e-8 of its target. Both errors
// are divided by the least curvature, here above 0.5: weights come out at 2e-8 to 1e-7 of the
// greatest. With one feature a thirtieth of the others, a condition of 2,600, it is 5e-5.
#include <numeric>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "trainyard/base/random.hpp"
#include "trainyard/model/model.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

constexpr std::size_t rows = 60, features = 5;

std::vector<double> normal_equations(const Dataset& dense, double l2) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(dense.rows),
             d = static_cast<Eigen::Index>(dense.features);
  Matrix x(n, d);
  Eigen::VectorXd y(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (Eigen::Index j = 0; j < d; ++j) {
      x(r, j) = static_cast<double>(dense.dense_row(row)[static_cast<std::size_t>(j)]);
    }
    const double of_class = dense.labels[row] == 1 ? 1.0 : -1.0;
    y(r) = dense.targets.empty() ? of_class : static_cast<double>(dense.targets[row]);
  }
  const double count = static_cast<double>(dense.rows);
  Eigen::VectorXd pull = Eigen::VectorXd::Constant(d, l2);
  if (dense.intercept) pull(d - 1) = 0.0;
  Matrix left = x.transpose() * x / count;
  left += pull.asDiagonal();
  const Eigen::VectorXd w = left.ldlt().solve(x.transpose() * y / count);
  return {w.data(), w.data() + w.size()};
}

TEST_CASE("descent along the whole gradient ends at the normal equations", "[model]") {
  for (const int classes : {1, 2}) {
    for (const bool intercept : {false, true}) {
      const test::Problem problem = test::make_problem(11, rows, features, classes, 0.9, intercept);
      for (const double l2 : {0.0, 0.25}) {
        const std::vector<double> optimum = normal_equations(problem.dense, l2);
        for (const Dataset* data : {&problem.dense, &problem.sparse}) {
          INFO(classes << " classes, l2 " << l2 << (intercept ? ", intercept" : "")
                       << (data->sparse ? ", sparse" : ", dense"));
          const auto model = make_model({"least-squares", l2}, *data);
          std::vector<float> w(features, 0.0F);
          Workspace workspace;
          for (int step = 0; step < 300; ++step) {
            model->descend(w, test::whole(*data), 0.6, workspace);
          }
          CHECK(test::relative_error(w, optimum) < 1e-6);
        }
      }
    }
  }
}

/// Targets become a linear function of the rows, so that no row pulls away from the optimum of all
/// and SGD gets there with a constant step size.
void make_consistent(test::Problem& problem) {
  RandomStream random(12, Purpose::data_generator);
  std::vector<double> w(features);
  for (double& weight : w) weight = random.normal();
  for (std::size_t r = 0; r < rows; ++r) {
    double y = 0.0;
    for (std::size_t j = 0; j < features; ++j) {
      y += static_cast<double>(problem.dense.dense_row(r)[j]) * w[j];
    }
    problem.dense.targets[r] = problem.sparse.targets[r] = static_cast<float>(y);
  }
}

TEST_CASE("SGD ends at the normal equations of rows that agree", "[model]") {
  for (const bool intercept : {false, true}) {
    test::Problem problem = test::make_problem(13, rows, features, 1, 0.9, intercept);
    make_consistent(problem);
    const std::vector<double> optimum = normal_equations(problem.dense, 0.0);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      INFO((data->sparse ? "sparse" : "dense") << (intercept ? ", intercept" : ""));
      const auto model = make_model({"least-squares", 0.0}, *data);
      std::vector<float> w(features, 0.0F);
      Workspace workspace;
      for (std::size_t step = 0; step < 40 * rows; ++step) {
        const RowRange row{data, step % rows, 1};
        if (!data->sparse) {
          model->descend(w, {&row, 1}, 0.08, workspace);
          continue;
        }
        float residual = 0.0F;
        model->sparse_update()->read(w, {&row, 1}, {&residual, 1});
        model->sparse_update()->write(w, {&row, 1}, {&residual, 1}, 0.08F);
      }
      CHECK(test::relative_error(w, optimum) < 1e-6);
    }
  }
}

// With a regulariser rows do not agree and a constant step size ends near, not at, the optimum: the
// mean of the iterates is what comes close, to about 1 in √steps.
TEST_CASE("the mean of sparse steps is near the regularised optimum", "[model]") {
  for (const bool intercept : {false, true}) {
    INFO((intercept ? "intercept" : "no intercept"));
    const test::Problem problem = test::make_problem(14, rows, features, 1, 0.6, intercept);
    const std::vector<double> optimum = normal_equations(problem.dense, 0.25);
    const auto model = make_model({"least-squares", 0.25}, problem.sparse);
    RandomStream random(15, Purpose::data_generator);
    std::vector<float> w(features, 0.0F);
    std::vector<double> sum(features, 0.0);
    constexpr std::size_t steps = 400000, warm = steps / 10;
    for (std::size_t step = 0; step < steps; ++step) {
      const RowRange row{&problem.sparse, random.below(rows), 1};
      float residual = 0.0F;
      model->sparse_update()->read(w, {&row, 1}, {&residual, 1});
      model->sparse_update()->write(w, {&row, 1}, {&residual, 1}, 0.01F);
      for (std::size_t j = 0; j < features && step >= warm; ++j)
        sum[j] += static_cast<double>(w[j]);
    }
    std::vector<float> mean(features);
    for (std::size_t j = 0; j < features; ++j) {
      mean[j] = static_cast<float>(sum[j] / (steps - warm));
    }
    CHECK(test::relative_error(mean, optimum) < 0.02);
  }
}

}  // namespace
}  // namespace trainyard
