// A sparse step takes several nonzeros, or several classes, at once: with every number of either it
// is what one after the other gives.
#include "model/sparse_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/model/model.hpp"

#include "model/instruction_sets.hpp"
#include "model/problems.hpp"
#include "model/sparse_rows.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::awkward_rows;
using test::random_parameters;

constexpr std::size_t features = 260;

struct Case {
  std::string model;
  int classes;
};
// Softmax: few classes, part of a vector, a whole one, several and a rest.
const std::vector<Case> cases = {{"logistic", 2}, {"least-squares", 2}, {"softmax", 2},
                                 {"softmax", 3},  {"softmax", 4},       {"softmax", 5},
                                 {"softmax", 16}, {"softmax", 37},      {"softmax", 150}};

/// check(model, data) for each model, with and without regulariser and intercept.
template <typename Check>
void for_each_case(const Check& check) {
  for (const auto& [name, classes] : cases) {
    for (const bool intercept : {false, true}) {
      const Dataset data = awkward_rows(features, classes, intercept);
      for (const double l2 : {0.0, 0.1}) {
        INFO(name << ", " << classes << " classes, l2 " << l2 << (intercept ? ", intercept" : ""));
        check(*make_model({name, l2}, data), data);
      }
    }
  }
}

TEST_CASE("a sparse write has the bits of compare-and-swaps", "[model][kernels]") {
  test::with_each_instruction_set([&] {
    for_each_case([](const Model& model, const Dataset& data) {
      const Model::SparseUpdate& update = *model.sparse_update();
      const RowRange all{&data, 0, data.rows};
      const std::vector<float> before = random_parameters(model, 3, 0.5);
      std::vector<float> residuals(update.residual_count(data.rows));
      update.read(before, {&all, 1}, residuals);
      std::vector<float> written = before, added = before;
      update.write(written, {&all, 1}, residuals, 0.7F);
      update.add(added, {&all, 1}, residuals, 0.7F);
      CHECK(written == added);
      CHECK(written != before);
    });
  });
}

/// ∂loss/∂score of one row, from its scores in double.
std::vector<double> reference_residuals(const std::string& model, std::vector<double> scores,
                                        Label label) {
  const double y = label == 1 ? 1.0 : -1.0;
  if (model == "logistic") return {-y / (1.0 + std::exp(y * scores[0]))};
  if (model == "least-squares") return {scores[0] - y};
  double sum = 0.0;
  for (double& score : scores) sum += score = std::exp(score);
  for (double& score : scores) score /= sum;
  scores[static_cast<std::size_t>(label)] -= 1.0;
  return scores;
}

TEST_CASE("a sparse read sums every nonzero once", "[model][kernels]") {
  for (const auto& [name, classes] : cases) {
    const Dataset data = awkward_rows(features, classes);
    const auto model = make_model({name, 0.0}, data);
    const std::vector<float> w = random_parameters(*model, 5, 0.3);
    const std::size_t width = w.size() / features;
    test::with_each_instruction_set([&, name = name, classes = classes] {
      for (std::size_t r = 0; r < data.rows; ++r) {
        const auto [columns, values] = data.sparse_row(r);
        INFO(name << ", " << classes << " classes, " << columns.size() << " nonzeros");
        const RowRange row{&data, r, 1};
        std::vector<float> residuals(width);
        model->sparse_update()->read(w, {&row, 1}, residuals);
        std::vector<double> scores(width, 0.0);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          for (std::size_t c = 0; c < width; ++c) {
            scores[c] += static_cast<double>(values[i]) * w[columns[i] * width + c];
          }
        }
        const auto expected = reference_residuals(name, scores, data.labels[r]);
        CHECK(test::relative_error(residuals, expected) < 2e-5);
      }
    });
  }
}

// The formula in double, and nothing else in the matrix changed.
TEST_CASE("subtract_sparse_outer() follows its formula", "[model][kernels]") {
  const Dataset data = awkward_rows(features, 2);
  std::vector<float> pulls(features);
  for (std::size_t j = 0; j < features; ++j) pulls[j] = 0.02F * static_cast<float>(j);
  test::with_each_instruction_set([&] {
    RandomStream random(2, Purpose::data_generator);
    for (const std::size_t width : {1U, 2U, 4U, 5U, 15U, 16U, 17U, 40U}) {
      std::vector<float> residual(width), matrix(features * width);
      for (float& x : residual) x = static_cast<float>(random.normal());
      for (float& x : matrix) x = static_cast<float>(random.normal());
      for (std::size_t r = 0; r < data.rows; ++r) {
        const auto [columns, values] = data.sparse_row(r);
        INFO(columns.size() << " nonzeros, " << width << " wide");
        std::vector<double> expected(matrix.begin(), matrix.end());
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const double pull = std::min(0.5 * static_cast<double>(pulls[columns[i]]), 1.0);
          for (std::size_t c = 0; c < width; ++c) {
            double& w = expected[columns[i] * width + c];
            w -= 0.3 * static_cast<double>(values[i]) * static_cast<double>(residual[c]) + pull * w;
          }
        }
        kernels::subtract_sparse_outer({columns, values, 0.3F, pulls, 0.5F}, residual,
                                       matrix.data());
        CHECK(test::relative_error(matrix, expected) < 1e-6);
      }
    }
  });
}

}  // namespace
}  // namespace trainyard
