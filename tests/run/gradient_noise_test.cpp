#include "trainyard/run/gradient_noise.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "trainyard/model/model.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "model/problems.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

namespace {

using Parts = std::vector<std::vector<std::uint32_t>>;

Dataset rows_of(const nlohmann::json& oracle) {
  const auto rows = oracle["features"].get<std::vector<std::vector<float>>>();
  Dataset data;
  data.rows = rows.size();
  data.features = rows.front().size();
  data.dense = AlignedBuffer<float>(data.rows * data.features);
  data.labels = AlignedBuffer<Label>(data.rows);
  for (std::size_t r = 0; r < data.rows; ++r) {
    std::ranges::copy(rows[r], data.dense.data() + r * data.features);
    data.labels[r] = oracle["labels"][r];
  }
  return data;
}

VectorBuffer point_of(const nlohmann::json& oracle, Scalar scalar) {
  const auto values = oracle["point"].get<std::vector<double>>();
  VectorBuffer point(scalar, values.size());
  with_scalar(scalar, [&]<typename T>(T) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      point.view().as<T>()[j] = static_cast<T>(values[j]);
    }
  });
  return point;
}

GradientNoise measured(const NoiseQuestion& question) {
  const std::atomic<bool> never{false};
  const GracePeriod grace(never);
  return gradient_noise(question, grace).value();
}

/// Rows r with r mod workers = w for each worker w.
Parts dealt(std::size_t rows, std::size_t workers) {
  Parts parts(workers);
  for (std::size_t r = 0; r < rows; ++r)
    parts[r % workers].push_back(static_cast<std::uint32_t>(r));
  return parts;
}

}  // namespace

TEST_CASE("gradient noise is NumPy's, on quadratics and logistic regression", "[run]") {
  const nlohmann::json oracle = test::read_oracle("gradient_noise");
  for (const char* name : {"quadratic", "logistic"}) {
    const nlohmann::json& one = oracle[name];
    const Dataset data = rows_of(one);
    const auto model = make_model({name, one["l2"]}, data);
    const VectorBuffer point = point_of(one, model->scalar());
    const auto parts = one["parts"].get<Parts>();
    const double precision = model->scalar() == Scalar::float64 ? 1e-12 : 1e-5;
    for (const auto weights : {ShareWeights::workers, ShareWeights::rows}) {
      CAPTURE(name, share_weights_text(weights));
      const GradientNoise found = measured({.model = *model,
                                            .parameters = point.view(),
                                            .data = data,
                                            .parts = parts,
                                            .weights = weights});
      CHECK(found.rows == data.rows);
      for (const CurveFigure& figure : curve_figures()) {
        const auto* member = std::get_if<std::optional<double> GradientNoise::*>(&figure.member);
        if (member == nullptr) continue;
        CAPTURE(figure.key);
        const nlohmann::json& expected = one[share_weights_text(weights)][std::string(figure.key)];
        REQUIRE((found.**member).has_value() != expected.is_null());
        if (expected.is_null()) continue;
        CHECK(*(found.**member) == Approx(expected.get<double>()).epsilon(precision));
      }
    }
  }
}

TEST_CASE("a sample of the rows measures gradient noise within its error", "[run]") {
  const test::Problem problem = test::make_problem(11, 4000, 6, 2, 0.8);
  const Dataset& data = problem.dense;
  const auto model = make_model({"logistic", 0.01}, data);
  const auto parameters = test::random_parameters(*model, 3, 0.5);
  for (const std::size_t workers : {1UL, 7UL, 40UL}) {
    CAPTURE(workers);
    const Parts parts = dealt(data.rows, workers);
    NoiseQuestion question{.model = *model,
                           .parameters = ConstVector(std::span<const float>(parameters)),
                           .data = data,
                           .parts = parts};
    const GradientNoise exact = measured(question);
    REQUIRE(exact.rows == 4000);
    question.most_numbers = 6;  // 256 rows, the fewest
    constexpr int seeds = 60;
    double sum = 0.0, squares = 0.0;
    for (int seed = 1; seed <= seeds; ++seed) {
      question.seed = static_cast<std::uint64_t>(seed);
      const GradientNoise sample = measured(question);
      CHECK(*sample.rows > 200);
      CHECK(*sample.rows <= 256);
      CHECK(sample.worker_variance == exact.worker_variance);  // from all rows
      const double error = *sample.row_variance / *exact.row_variance - 1.0;
      sum += error;
      squares += error * error;
      CHECK(*sample.noise / *exact.noise - 1.0 == Approx(error).margin(1e-2));
    }
    const double deviation = std::sqrt(squares / seeds);
    CHECK(deviation > 0.005);
    CHECK(deviation < 0.2);
    CHECK(std::abs(sum / seeds) < 4.0 * deviation / std::sqrt(seeds));  // without bias
  }
}

TEST_CASE("gradient noise of rows and workers that are all alike", "[run]") {
  const test::Problem problem = test::make_problem(5, 1, 4, 2, 1.0);
  Dataset data = copy_rows(problem.dense, std::vector<std::uint32_t>(1200, 0));
  const auto model = make_model({"logistic", 0.0}, data);
  const auto parameters = test::random_parameters(*model, 3, 0.5);
  const Parts parts = dealt(data.rows, 3);
  const GradientNoise found =
      measured({.model = *model,
                .parameters = ConstVector(std::span<const float>(parameters)),
                .data = data,
                .parts = parts});
  CHECK(*found.row_variance == Approx(0.0).margin(1e-12));
  CHECK(*found.worker_variance == Approx(0.0).margin(1e-12));
  CHECK(*found.diversity == Approx(1.0 / 1200.0).epsilon(1e-5));
  CHECK(*found.batch_bound == Approx(2.0).epsilon(1e-5));
  CHECK(*found.scale == Approx(0.0).margin(1e-5));
}

TEST_CASE("where the gradient is 0 its noise has no scale", "[run]") {
  // x = 0 is the minimum of ½(x − 1)² + ½(x + 1)², which both workers are away from.
  Dataset data;
  data.rows = 2;
  data.features = 2;
  data.dense = AlignedBuffer<float>::zeroed(4);
  data.labels = AlignedBuffer<Label>::zeroed(2);
  const std::vector<float> values{1, 1, 1, -1};
  std::ranges::copy(values, data.dense.data());
  const auto model = make_model({"quadratic", 0.0}, data);
  const VectorBuffer origin = VectorBuffer::zeroed(Scalar::float64, 1);
  const Parts parts{{0}, {1}};
  const GradientNoise found =
      measured({.model = *model, .parameters = origin.view(), .data = data, .parts = parts});
  CHECK(found.row_variance == 0.0);
  CHECK(found.worker_variance == 1.0);
  CHECK_FALSE(found.diversity);
  CHECK_FALSE(found.batch_bound);
  CHECK(found.signal == -1.0);
  CHECK(found.noise == 2.0);
  CHECK_FALSE(found.scale);
}

TEST_CASE("gradient noise is measured off the clock and changes no bit of training", "[run]") {
  for (const char* scheme : {"ring", "ps-async", "hogwild", "gossip", "local-sgd", "gpipe"}) {
    CAPTURE(scheme);
    Configuration c = small_configuration(scheme);
    c.network.latency = std::chrono::microseconds(100);
    c.compute_noise = {};
    const RunResult without = run_small(c);
    c.gradient_noise = true;
    const RunResult with = run_small(c);
    CHECK(with.summary.model_hash == without.summary.model_hash);
    CHECK(with.summary.seconds == without.summary.seconds);
    CHECK(with.summary.bytes_sent == without.summary.bytes_sent);
    REQUIRE(with.metrics.size() == without.metrics.size());
    for (std::size_t i = 0; i < with.metrics.size(); ++i) {
      CHECK(with.metrics[i].train_loss == without.metrics[i].train_loss);
      CHECK(with.metrics[i].seconds == without.metrics[i].seconds);
      CHECK_FALSE(without.metrics[i].gradient_noise.row_variance);
      REQUIRE(with.metrics[i].gradient_noise.row_variance);
      CHECK(*with.metrics[i].gradient_noise.row_variance > 0.0);
    }
    CHECK_FALSE(without.summary.gradient_noise.rows);
    CHECK(with.summary.gradient_noise.rows == 600);
    CHECK(with.summary.gradient_noise.noise == with.metrics.back().gradient_noise.noise);
  }
}

}  // namespace trainyard
