#include "trainyard/data/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Plain SGD on the logistic loss, step 1/(1 + epochs) times `step`: enough to tell whether a
/// problem can be learned.
std::vector<double> learn(const Dataset& data, double step, int epochs) {
  std::vector<double> weights(data.features, 0.0);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t row = 0; row < data.rows; ++row) {
      const Dataset::SparseRow x = data.sparse_row(row);
      double product = 0.0;
      for (std::size_t i = 0; i < x.columns.size(); ++i)
        product += weights[x.columns[i]] * x.values[i];
      const double fault = 1.0 / (1.0 + std::exp(-product)) - data.labels[row];
      for (std::size_t i = 0; i < x.columns.size(); ++i) {
        weights[x.columns[i]] -= step / (1.0 + epoch) * fault * x.values[i];
      }
    }
  }
  return weights;
}

double accuracy(const Dataset& data, const std::vector<double>& weights) {
  std::size_t right = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const Dataset::SparseRow x = data.sparse_row(row);
    double product = 0.0;
    for (std::size_t i = 0; i < x.columns.size(); ++i)
      product += weights[x.columns[i]] * x.values[i];
    right += (product > 0.0) == (data.labels[row] == 1) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.rows);
}

template <typename Body>
auto on_cores(int cores, Body body) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(cores));
  tbb::task_arena arena(cores);
  return arena.execute(body);
}

/// Parabolas, without test rows.
bool is_without_chance(const GeneratorInfo& generator) {
  return generator.name.starts_with("two-");
}

}  // namespace

TEST_CASE("generators give the same bits on any number of cores", "[data][generate]") {
  for (const GeneratorInfo& generator : generators()) {
    INFO(generator.name);
    const std::size_t rows = std::min<std::size_t>(generator.rows, 20'000);
    const auto both = [&] {
      const TrainTest made = generator.make(3, rows);
      return std::pair(fingerprint_of(made.train), fingerprint_of(made.test));
    };
    const auto expected = on_cores(1, both);
    CHECK(on_cores(2, both) == expected);
    CHECK(on_cores(8, both) == expected);
    CHECK((fingerprint_of(generator.make(4, rows).train) == expected.first) ==
          is_without_chance(generator));
  }
}

TEST_CASE("more rows do not change the first ones", "[data][generate]") {
  const Dataset small = generate_dense_logistic(2000, 5, 1);
  const Dataset large = generate_dense_logistic(5000, 5, 1);
  CHECK(std::equal(small.dense.begin(), small.dense.end(), large.dense.begin()));
  CHECK(std::equal(small.labels.begin(), small.labels.end(), large.labels.begin()));
}

TEST_CASE("a generated set has as many rows as its name asks for", "[data][generate]") {
  for (const GeneratorInfo& generator : generators()) {
    CAPTURE(generator.name);
    CHECK(find_generator(generator.name)->rows == generator.rows);
    const auto choice = find_generator(generator.name + ":1003");
    REQUIRE(choice);
    const TrainTest made = choice->generator->make(1, choice->rows);
    CHECK(made.train.rows == 1003);
    CHECK(made.test.rows == (is_without_chance(generator) ? 0 : 250));
    for (const char* rows : {":", ":1", ":x", ":10000001", ":-5", ":4:4"}) {
      CAPTURE(rows);
      CHECK_THROWS_AS(find_generator(generator.name + rows), UsageError);
    }
  }
  CHECK_FALSE(find_generator("dense-logistics"));
  CHECK_FALSE(find_generator(""));
  CHECK(origin_of("dense-logistic:7") == DataOrigin::generated);
  CHECK(origin_of("a9a:7") == DataOrigin::file);
}

TEST_CASE("sparse logistic rows have the documented shape", "[data][generate]") {
  const std::uint64_t seed = 1;
  INFO("seed " << seed);
  const Dataset data = generate_sparse_logistic(5000, 1000, 20, seed);
  std::vector<double> frequency(1000, 0.0);
  std::size_t positive = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const Dataset::SparseRow x = data.sparse_row(row);
    double length = 0.0;
    for (std::size_t i = 0; i < x.columns.size(); ++i) {
      if (i > 0) REQUIRE(x.columns[i] > x.columns[i - 1]);
      length += x.values[i] * x.values[i];
      ++frequency[x.columns[i]];
    }
    REQUIRE(length == Approx(1.0).epsilon(1e-5));
    REQUIRE(x.columns.size() <= 20);
    positive += static_cast<std::size_t>(data.labels[row]);
  }
  // A feature of probability p is in a row with probability 1 - (1-p)^20; p = 1/((j+1) H_1000).
  double total = 0.0;
  for (int j = 1; j <= 1000; ++j) total += 1.0 / j;
  for (const std::size_t j : {0, 1, 9, 99}) {
    const double p = 1.0 / (static_cast<double>(j + 1) * total);
    const double present = 1.0 - std::pow(1.0 - p, 20);
    const double deviation = std::sqrt(5000 * present * (1.0 - present));
    INFO("feature " << j);
    CHECK(std::abs(frequency[j] - 5000 * present) < 4.0 * deviation);
  }
  CHECK(std::abs(static_cast<double>(positive) - 2500.0) < 250.0);
}

TEST_CASE("of spread rows all features are as frequent, and there is something to learn",
          "[data][generate]") {
  const TrainTest made = find_generator("spread-logistic")->generator->make(1, 20'000);
  const Dataset& data = made.train;
  REQUIRE(data.features == 10'000);
  std::vector<double> frequency(data.features, 0.0);
  for (std::size_t i = 0; i < data.row_begin[data.rows]; ++i) ++frequency[data.columns[i]];
  // Each of 64 draws of a row is feature j with 1/10,000: 20,000 rows have it 127.6 times.
  const double present = 1.0 - std::pow(1.0 - 1e-4, 64);
  const double mean = 20'000 * present, deviation = std::sqrt(mean * (1.0 - present));
  const auto [least, most] = std::ranges::minmax(frequency);
  CHECK(least > mean - 5 * deviation);
  CHECK(most < mean + 5 * deviation);
  CHECK(std::accumulate(frequency.begin(), frequency.end(), 0.0) ==
        Approx(10'000 * mean).epsilon(0.001));
  CHECK(accuracy(made.test, learn(data, 4.0, 3)) > 0.65);
}

TEST_CASE("the built-in sparse problem can be learned, but not by heart", "[data][generate]") {
  const TrainTest data = generators().front().make(1, generators().front().rows);
  CHECK(generators().front().name == "sparse-logistic");
  CHECK(data.train.rows == 20'000);
  CHECK(data.test.rows == 5'000);
  CHECK(data.train.features == 10'000);
  CHECK(data.test.features == 10'000);
  const double nonzeros = static_cast<double>(data.train.nonzeros()) / 20'000;
  CHECK(nonzeros == Approx(50.0).margin(1.0));
  const double found = accuracy(data.test, learn(data.train, 8.0, 5));
  INFO("test accuracy " << found);
  CHECK(found > 0.85);
  CHECK(found < 0.92);
}

TEST_CASE("dense logistic features are standard normal and labels follow a plane",
          "[data][generate]") {
  const Dataset data = generate_dense_logistic(20'000, 10, 2);
  double sum = 0.0, squares = 0.0;
  for (const float value : data.dense) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  CHECK(std::abs(sum / 200'000) < 0.01);
  CHECK(squares / 200'000 == Approx(1.0).margin(0.015));
  // The mean of y·x points along w*: a plane through it is right on most rows (at best on 85 %,
  // since P(y | x) is a sigmoid of N(0, 16)).
  std::vector<double> direction(10, 0.0);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double y = data.labels[row] == 1 ? 1.0 : -1.0;
    for (std::size_t j = 0; j < 10; ++j) direction[j] += y * data.dense_row(row)[j];
  }
  std::size_t right = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    double product = 0.0;
    for (std::size_t j = 0; j < 10; ++j) product += direction[j] * data.dense_row(row)[j];
    right += (product > 0.0) == (data.labels[row] == 1) ? 1 : 0;
  }
  const double found = static_cast<double>(right) / 20'000;
  INFO("accuracy " << found);
  CHECK(found > 0.75);
  CHECK(found < 0.95);
}

TEST_CASE("the rows of two minima are a half of each kind", "[data][generate]") {
  const Dataset data = find_generator("two-minima:5")->generator->make(1, 5).train;
  REQUIRE(data.features == 2);
  for (std::size_t row = 0; row < 5; ++row) {
    CHECK(data.dense_row(row)[0] == (row < 2 ? 1.0F : 0.1F));
    CHECK(data.dense_row(row)[1] == (row < 2 ? 1.0F : -1.0F));
  }
}

TEST_CASE("blobs are balanced and lie about their centres", "[data][generate]") {
  const Dataset data = generate_blobs(10'000, 4, 10, 0.5, 9);
  CHECK(data.classes == 10);
  std::vector<double> count(10, 0.0), sum(10, 0.0), squares(10, 0.0);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const auto label = static_cast<std::size_t>(data.labels[row]);
    const double x = data.dense_row(row)[0];
    ++count[label];
    sum[label] += x;
    squares[label] += x * x;
  }
  CHECK(count == std::vector<double>(10, 1000.0));
  for (std::size_t c = 0; c < 10; ++c) {
    const double mean = sum[c] / 1000;
    CHECK(std::sqrt(squares[c] / 1000 - mean * mean) == Approx(0.5).margin(0.05));
  }
  CHECK(data.labels[0] + data.labels[1] + data.labels[2] + data.labels[3] != 0 + 1 + 2 + 3);
}

}  // namespace trainyard
