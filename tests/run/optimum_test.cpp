#include "trainyard/run/optimum.hpp"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/resolve.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"
#include "support/data_sets.hpp"
#include "support/oracles.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

using Doubles = std::vector<double>;

const std::atomic<bool> never{false};

double norm(const Doubles& x) {
  double squares = 0.0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

Dataset rows_of_file(const std::filesystem::path& file) {
  DatasetRequest request;
  request.dataset = file.string();
  return load_dataset(request).train;
}

/// A x = b by elimination.
Doubles solved(std::vector<Doubles> a, Doubles b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

Metrics at(double epoch, double suboptimality) {
  Metrics metrics;
  metrics.epoch = epoch;
  metrics.suboptimality = suboptimality;
  return metrics;
}

}  // namespace

// By a text of its own in double precision (tests/oracles/small_optima.py), of rows that are
// floats, as they are here: that moves an optimum by 3e-10.
TEST_CASE("optima of small real sets are found to 1e-10", "[run]") {
  const nlohmann::json oracle = test::read_oracle("small_optima");
  for (const nlohmann::json& known : oracle["logistic"]) {
    const std::filesystem::path file = test::small_sets() / known["file"].get<std::string>();
    INFO(file.string() << ", l2 " << known["l2"]);
    const Optimum found = find_optimum({.name = "logistic", .l2 = known["l2"].get<double>()},
                                       rows_of_file(file), never);
    const double loss = known["objective_of_floats"].get<double>();
    CHECK(found.loss == Approx(loss).epsilon(0.0).margin(1e-10));
    CHECK(norm(found.parameters) == Approx(known["norm"].get<double>()).epsilon(1e-4));
    CHECK(found.is_unique);
  }
}

TEST_CASE("the optimum of a9a is the published one", "[run][slow]") {
  const std::filesystem::path folder = test::large_sets_with("a9a");
  if (folder.empty()) return;
  DatasetRequest request;
  request.dataset = "a9a";
  request.data_dir = folder.string();
  const Dataset train = load_dataset(request).train;
  CHECK(find_optimum({.name = "logistic", .l2 = 1e-4}, train, never).loss ==
        Approx(0.3245069247).epsilon(0.0).margin(2e-10));
}

TEST_CASE("the optimum of least squares solves the normal equations", "[run]") {
  test::Problem problem = test::make_problem(7, 120, 6, 2, 0.5);
  for (const bool weighted : {false, true}) {
    for (Dataset* data : {&problem.dense, &problem.sparse}) {
      for (const double l2 : {0.0, 0.03}) {
        CAPTURE(weighted, data->sparse, l2);
        if (weighted) {
          data->weights = AlignedBuffer<float>(data->rows);
          for (std::size_t r = 0; r < data->rows; ++r) data->weights[r] = r % 3 == 0 ? 2.0F : 0.5F;
        }
        std::vector<Doubles> a(6, Doubles(6, 0.0));
        Doubles b(6, 0.0);
        for (std::size_t r = 0; r < data->rows; ++r) {
          const std::span<const float> x = problem.dense.dense_row(r);
          const double weight = static_cast<double>(data->weight_of(r)) / 120.0;
          for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t j = 0; j < 6; ++j) a[i][j] += weight * x[i] * x[j];
            b[i] += weight * x[i] * (data->labels[r] == 1 ? 1.0 : -1.0);
          }
        }
        for (std::size_t i = 0; i < 6; ++i) a[i][i] += l2;
        const Doubles expected = solved(a, b);
        const Optimum found = find_optimum({.name = "least-squares", .l2 = l2}, *data, never);
        for (std::size_t j = 0; j < 6; ++j) {
          CHECK(found.parameters[j] == Approx(expected[j]).epsilon(1e-5).margin(1e-7));
        }
        CHECK(found.is_unique == (l2 > 0.0));
      }
    }
  }
}

// Of two classes the weights are opposite, and their difference is logistic regression's, with half
// the regulariser.
TEST_CASE("the optimum of softmax regression of two classes is logistic regression's", "[run]") {
  const test::Problem problem = test::make_problem(9, 300, 8, 2, 0.5);
  for (const Dataset* data : {&problem.dense, &problem.sparse}) {
    const Optimum logistic = find_optimum({.name = "logistic", .l2 = 0.01}, *data, never);
    const Optimum softmax = find_optimum({.name = "softmax", .l2 = 0.02}, *data, never);
    CHECK(softmax.loss == Approx(logistic.loss).epsilon(1e-10));
    for (std::size_t j = 0; j < logistic.parameters.size(); ++j) {
      CHECK(softmax.parameters[2 * j + 1] - softmax.parameters[2 * j] ==
            Approx(logistic.parameters[j]).epsilon(1e-4).margin(1e-6));
    }
  }
}

// The model's own gradient, in float.
TEST_CASE("at the optimum of softmax regression of several classes the gradient is 0", "[run]") {
  const test::Problem problem = test::make_problem(11, 500, 7, 4, 0.5);
  const auto model = make_model({"softmax", 0.01}, problem.dense);
  const Optimum found = find_optimum({.name = "softmax", .l2 = 0.01}, problem.dense, never);
  std::vector<float> parameters(found.parameters.begin(), found.parameters.end());
  for (const float slope : test::gradient_of(*model, parameters, test::whole(problem.dense))) {
    CHECK(std::abs(slope) < 1e-6F);
  }
}

TEST_CASE("the optimum of a quadratic is exact, and runs end there", "[run]") {
  const Dataset data = test::unlike_data(4);
  const Doubles expected = test::optimum(data);
  const Optimum found = find_optimum({.name = "quadratic"}, data, never);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    CHECK(found.parameters[j] == Approx(expected[j]).epsilon(1e-14));
  }
  CHECK(find_optimum({.name = "quadratic", .l2 = 0.5}, data, never).loss > found.loss);
}

TEST_CASE("what has no optimum, or one that nobody finds, is refused", "[run]") {
  const test::Problem problem = test::make_problem(5, 60, 4, 2, 0.5);
  CHECK_THROWS_WITH(find_optimum({.name = "mlp:4"}, problem.dense, never),
                    "--optimum auto: mlp:4 is not convex; logistic, least-squares, softmax and "
                    "quadratic are");
  CHECK_THROWS_WITH(find_optimum({.name = "logistic", .l1 = 0.1}, problem.dense, never),
                    ContainsSubstring("--optimum auto: it does not take --l1"));
  CHECK_THROWS_WITH(
      find_optimum({.name = "quadratic"}, test::quadratic_data({{-1.0}}, {{1.0}}), never),
      "--optimum auto: the quadratic has no minimum");
  const std::atomic<bool> interrupted{true};
  CHECK_THROWS_AS(find_optimum({.name = "logistic", .l2 = 0.1}, problem.dense, interrupted),
                  Interrupted);
}

TEST_CASE("a linear rate is the slope of the logarithms, with its error", "[run]") {
  std::vector<Metrics> curve{at(0, 100.0)};  // the start is no part of the line
  for (int epoch = 1; epoch <= 10; ++epoch) curve.push_back(at(epoch, 3.0 * std::pow(0.8, epoch)));
  CHECK(linear_rate(curve, 1e-9)->factor == Approx(0.8).epsilon(1e-12));
  CHECK(linear_rate(curve, 1e-9)->error < 1e-12);
  // From the first that is rounding on nothing counts, whatever follows.
  curve.push_back(at(11, -1e-12));
  curve.push_back(at(12, 5.0));
  CHECK(linear_rate(curve, 1e-9)->factor == Approx(0.8).epsilon(1e-12));
  // ln 1, 2, 2 and 3 over 0, 1, 2 and 3: slope 0.6, residuals ∓0.1, ±0.3: Σe² = 0.2,
  // √(0.2 / 2 / 5).
  const double e = std::exp(1.0);
  const std::vector<Metrics> bent{at(0, 9), at(0, 9),     at(0, 9),     at(0, 9),        at(0, 9),
                                  at(0, e), at(1, e * e), at(2, e * e), at(3, e * e * e)};
  const LinearRate found = *linear_rate(bent, 1e-9);
  CHECK(found.factor == Approx(std::exp(0.6)));
  CHECK(found.error == Approx(std::exp(0.6) * std::sqrt(0.02)));
  CHECK_FALSE(linear_rate(std::vector<Metrics>(curve.begin(), curve.begin() + 5), 1e-9));
  CHECK_FALSE(linear_rate({}, 1e-9));
}

// ½h(x − b)² in steps x ← x − γh(x − b): F − F* is (1 − γh)² of what it was.
TEST_CASE("a run on a quadratic has the rate that its step says", "[run]") {
  Configuration c;
  c.scheme = "ring";
  c.model = "quadratic";
  c.workers = 2;
  c.batch = 1;
  c.optimizer.lr = 0.25;
  c.steps = 20;
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(1);
  c.evaluate_every = 1.0;
  c.partition.kind = PartitionRule::Kind::contiguous;
  c.optimum = "auto";
  const LoadedData data{"quadratics", test::quadratic_data({{1.0}, {1.0}}, {{1.0}, {3.0}}), {}};
  const RunResult result = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
  const Summary& s = result.summary;
  CHECK(*s.optimum_loss == Approx(0.5));  // at 2: ½·1 twice, over two rows
  CHECK(*s.linear_rate == Approx(0.75 * 0.75).epsilon(1e-9));
  CHECK(*s.linear_rate_error < 1e-9);
  CHECK(*s.optimum_distance == Approx(2.0 * std::pow(0.75, 20)).epsilon(1e-9));
  CHECK(*s.suboptimality == Approx(0.5 * 4.0 * std::pow(0.75, 40)).epsilon(1e-6));
  REQUIRE(result.metrics.size() == 21);
  CHECK(*result.metrics[0].optimum_distance == 2.0);
  CHECK(*result.metrics[3].suboptimality == Approx(2.0 * std::pow(0.75, 6)).epsilon(1e-9));
  CHECK(s.gradients == 40);
}

TEST_CASE("a run in float comes as near to the optimum as its precision lets it", "[run]") {
  const LoadedData data = test::dense_problem(400, 10);
  Configuration c = test::quick("ring", 4, 400);
  c.batch = 100;
  c.l2 = 0.05;
  c.optimizer.lr = 1.0;
  c.evaluate_every = 1.0;
  c.optimum = "auto";
  const Summary s = test::train(c, data).summary;
  CHECK(std::abs(*s.suboptimality) < 3e-7);
  CHECK(*s.optimum_distance < 1e-4);
  CHECK(*s.linear_rate < 1.0);
  CHECK(*s.linear_rate_error < 0.05);
}

TEST_CASE("gradients are counted that were dropped, too", "[run]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("ps-backup", 8, 100);
  c.hyperparameters["backups"] = 2;
  const Summary s = test::train(c, data).summary;
  CHECK(s.gradients * 4 == s.samples_computed);
  CHECK(s.gradients > 600);
  CHECK_FALSE(s.suboptimality);
}

}  // namespace trainyard
