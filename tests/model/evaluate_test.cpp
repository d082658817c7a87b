// Losses and hits in closed form, at the ends of the number range, and whatever the blocks.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/model/model.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::whole;

/// Dense rows of `features` numbers each.
Dataset rows_of(std::size_t features, int classes, std::initializer_list<float> values,
                std::initializer_list<Label> labels) {
  Dataset data;
  data.rows = labels.size();
  data.features = features;
  data.classes = classes;
  data.labels = AlignedBuffer<Label>::copy_of({labels.begin(), labels.size()});
  data.dense = AlignedBuffer<float>::copy_of({values.begin(), values.size()});
  return data;
}

TEST_CASE("logistic loss in closed form", "[model]") {
  // Margins 0, ln 3 and ln 3: losses ln 2, ln(1 + 1/3) for the positive row, ln 4 for the negative.
  const Dataset data = rows_of(2, 2, {0, 0, 1, 0, 0, 1}, {1, 1, 0});
  const auto model = make_model({"logistic", 2.0}, data);
  const float ln3 = std::log(3.0F);
  const std::vector<float> w = {ln3, ln3};
  Workspace workspace;
  const Tally tally = model->evaluate(w, whole(data), workspace);
  CHECK(tally.loss_sum == Approx(std::log(2.0) + std::log(4.0 / 3.0) + std::log(4.0)));
  CHECK(tally.correct == 1);  // a margin of zero counts as negative
  CHECK(model->penalty(w) == Approx(2.0 * ln3 * ln3));
  // Residuals -1/2, -1/4 and 3/4, a third of each, and λw.
  const std::vector<float> gradient = test::gradient_of(*model, w, whole(data));
  CHECK(gradient[0] == Approx(-0.25 / 3.0 + 2.0 * ln3));
  CHECK(gradient[1] == Approx(0.75 / 3.0 + 2.0 * ln3));
}

TEST_CASE("least squares in closed form", "[model]") {
  // Margins 2, 6, −4 and targets 3, 5.5, −4: residuals −1, ½ and 0.
  Dataset data = rows_of(2, 1, {1, 0, 0, 3, -1, -1}, {0, 0, 0});
  data.targets = AlignedBuffer<float>::copy_of(std::vector<float>{3.0F, 5.5F, -4.0F});
  const std::vector<float> w = {2.0F, 2.0F};
  const auto model = make_model({"least-squares", 0.5}, data);
  Workspace workspace;
  const Tally tally = model->evaluate(w, whole(data), workspace);
  CHECK(tally.loss_sum == 0.5 + 0.125);
  CHECK(tally.correct == 0);  // the last is hit exactly: there are no classes to be right about
  CHECK(tally.rows == 3);
  CHECK(model->penalty(w) == 2.0);
  const std::vector<float> gradient = test::gradient_of(*model, w, whole(data));
  CHECK(gradient[0] == Approx(-1.0 / 3.0 + 1.0));
  CHECK(gradient[1] == Approx(1.5 / 3.0 + 1.0));
}

TEST_CASE("least squares on two classes aims at -1 and 1", "[model]") {
  // Margins 2, 0, 0, 3 for y = 1, −1, −1, −1: residuals 1, 1, 1, 4.
  const Dataset data = rows_of(1, 2, {2, 0, 0, 3}, {1, 0, 0, 0});
  const auto model = make_model({"least-squares", 0.0}, data);
  const std::vector<float> w = {1.0F};
  Workspace workspace;
  const Tally tally = model->evaluate(w, whole(data), workspace);
  CHECK(tally.loss_sum == 0.5 + 0.5 + 0.5 + 8.0);
  CHECK(tally.correct == 3);  // a margin of zero counts as negative
  CHECK(test::gradient_of(*model, w, whole(data))[0] == (2.0F + 12.0F) / 4.0F);
}

TEST_CASE("softmax loss in closed form", "[model]") {
  // Scores (0, ln 2, ln 5): probabilities 1/8, 2/8, 5/8.
  const Dataset data = rows_of(1, 3, {1, 1}, {1, 2});
  const auto model = make_model({"softmax", 0.0}, data);
  const std::vector<float> w = {0.0F, std::log(2.0F), std::log(5.0F)};
  Workspace workspace;
  const Tally tally = model->evaluate(w, whole(data), workspace);
  CHECK(tally.loss_sum == Approx(std::log(8.0 / 2.0) + std::log(8.0 / 5.0)));
  CHECK(tally.correct == 1);
  const std::vector<float> gradient = test::gradient_of(*model, w, whole(data));
  CHECK(gradient[0] == Approx(1.0 / 8.0));
  CHECK(gradient[1] == Approx(2.0 / 8.0 - 0.5));
  CHECK(gradient[2] == Approx(5.0 / 8.0 - 0.5));
}

TEST_CASE("a small network in closed form", "[model]") {
  // One feature, two hidden units max(x, 0) and max(-x, 0) (+ 1 as bias), scores (h1, h2).
  const Dataset data = rows_of(1, 2, {2, -3}, {0, 1});
  const auto model = make_model({"mlp:2", 0.0}, data);
  const std::vector<float> w = {1, -1, 0, 1, /*W2*/ 1, 0, 0, 1, /*b2*/ 0, 0};
  REQUIRE(model->dimension() == w.size());
  Workspace workspace;
  // Row 2: units (2, 0), loss ln(1 + e^-2). Row -3: units (0, 4), loss ln(1 + e^-4).
  const Tally tally = model->evaluate(w, whole(data), workspace);
  CHECK(tally.loss_sum == Approx(std::log1p(std::exp(-2.0)) + std::log1p(std::exp(-4.0))));
  CHECK(tally.correct == 2);
}

TEST_CASE("a tie goes to the lowest class", "[model]") {
  const Dataset data = rows_of(1, 3, {1, 1, 1}, {0, 1, 2});
  Workspace workspace;
  const auto softmax = make_model({"softmax", 0.0}, data);
  CHECK(softmax->evaluate(std::vector<float>{0, 0, 0}, whole(data), workspace).correct == 1);
  // Classes 1 and 2 tie above class 0: rows of class 1 are right.
  const Dataset second = rows_of(1, 3, {1, 1, 1}, {1, 1, 2});
  CHECK(softmax->evaluate(std::vector<float>{0, 5, 5}, whole(second), workspace).correct == 2);
}

TEST_CASE("losses are exact at huge margins", "[model]") {
  const Dataset data = rows_of(1, 2, {1e4F, 1e4F, -1e4F, -1e4F}, {1, 0, 1, 0});
  // Residuals 0, 1, -1, 0 times the feature.
  const std::vector<float> gradients = {0.0F, 1e4F, 1e4F, 0.0F};
  Workspace workspace;
  const std::vector<double> losses = {0.0, 1e4, 1e4, 0.0};
  for (std::size_t r = 0; r < data.rows; ++r) {
    const std::vector<RowRange> row = {{&data, r, 1}};
    const auto logistic = make_model({"logistic", 0.0}, data);
    const std::vector<float> one = {1.0F};
    CHECK(logistic->evaluate(one, row, workspace).loss_sum == losses[r]);
    CHECK(test::gradient_of(*logistic, one, row)[0] == gradients[r]);
    const auto softmax = make_model({"softmax", 0.0}, data);
    const std::vector<float> pair = {0.0F, 1.0F};
    CHECK(softmax->evaluate(pair, row, workspace).loss_sum == losses[r]);
    CHECK(test::gradient_of(*softmax, pair, row)[1] == gradients[r]);
  }
  // Squares of residuals 9,999 and 10,001, which a float does not hold.
  const auto squares = make_model({"least-squares", 0.0}, data);
  const std::vector<float> one_weight = {1.0F};
  for (const auto& [r, off] : {std::pair{0, 9999.0}, {1, 10001.0}, {2, 10001.0}, {3, 9999.0}}) {
    const std::vector<RowRange> row = {{&data, static_cast<std::size_t>(r), 1}};
    CHECK(squares->evaluate(one_weight, row, workspace).loss_sum == 0.5 * off * off);
  }
  // Confidently right is a small loss, not zero: log(1 + e^-20) = 2.06e-9.
  const Dataset sure = rows_of(1, 2, {20.0F}, {1});
  const auto logistic = make_model({"logistic", 0.0}, sure);
  const std::vector<float> one = {1.0F};
  CHECK(logistic->evaluate(one, whole(sure), workspace).loss_sum ==
        Approx(std::log1p(std::exp(-20.0))).epsilon(1e-6));
  CHECK(test::gradient_of(*logistic, one, whole(sure))[0] ==
        Approx(-20.0 / (1.0 + std::exp(20.0))).epsilon(1e-6));
}

TEST_CASE("a model that has diverged has no finite loss", "[model]") {
  const test::Problem problem = test::make_problem(1, 40, 5, 2, 0.9);
  for (const std::string name : {"logistic", "least-squares", "softmax", "mlp:3"}) {
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      INFO(name << (data->sparse ? ", sparse" : ", dense"));
      const auto model = make_model({name, 0.1}, *data);
      std::vector<float> w = test::random_parameters(*model, 1, 1.0);
      w.front() = std::nanf("");
      Workspace workspace;
      CHECK(!std::isfinite(model->evaluate(w, whole(*data), workspace).loss_sum));
      CHECK(std::isnan(test::gradient_of(*model, w, whole(*data)).front()));
      CHECK(std::isnan(model->penalty(w)));
    }
  }
}

// Callers cut evaluation into blocks for the cores; what a row loses must not depend on where. 500
// features are two blocks of the matrix product.
TEST_CASE("a row's loss has the same bits in every block", "[model]") {
  const test::Problem problem = test::make_problem(2, 200, 500, 2, 0.5);
  for (const std::string name : {"logistic", "least-squares", "softmax", "mlp:17,5"}) {
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      INFO(name << (data->sparse ? ", sparse" : ", dense"));
      const auto model = make_model({name, 0.0}, *data);
      const std::vector<float> w = test::random_parameters(*model, 3, 0.1);
      Workspace workspace;
      Tally alone;
      for (std::size_t r = 0; r < data->rows; ++r) {
        const std::vector<RowRange> row = {{data, r, 1}};
        const Tally tally = model->evaluate(w, row, workspace);
        alone.loss_sum += tally.loss_sum;
        alone.correct += tally.correct;
      }
      const Tally together = model->evaluate(w, whole(*data), workspace);
      CHECK(together.loss_sum == alone.loss_sum);
      CHECK(together.correct == alone.correct);
      const std::vector<RowRange> pieces = {{data, 0, 1}, {data, 1, 131}, {data, 132, 68}};
      CHECK(model->evaluate(w, pieces, workspace).loss_sum == together.loss_sum);
    }
  }
}

}  // namespace
}  // namespace trainyard
