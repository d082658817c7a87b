// local-sgd-sum against its rule written out, with parts that wait for their turn, and where it is
// another scheme.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

using Doubles = std::vector<double>;

Configuration summing(int workers, std::uint64_t steps, double period, double turns) {
  Configuration c;
  c.scheme = "local-sgd-sum";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters = {{"period", period}, {"turns", turns}};
  return c;
}

/// 64 features, four lines of them: the first in every row, the next ones in each fourth of the
/// rows, and the last in none. 160 rows, of which a worker has the same number of each kind.
LoadedData four_lines() {
  constexpr std::size_t rows = 160;
  LoadedData data{"four-lines", {}, {}};
  Dataset& train = data.train;
  train.rows = rows;
  train.features = 64;
  train.classes = 2;
  train.sparse = true;
  train.labels = AlignedBuffer<Label>(rows);
  train.row_begin = AlignedBuffer<std::uint64_t>(rows + 1);
  train.columns = AlignedBuffer<std::uint32_t>(2 * rows);
  train.values = AlignedBuffer<float>(2 * rows);
  for (std::size_t row = 0; row < rows; ++row) {
    train.row_begin[row] = 2 * row;
    const std::size_t kind = row % 4;
    train.columns[2 * row] = static_cast<std::uint32_t>(row * 7 % 16);
    const std::size_t line = kind == 0 ? 1 : kind == 1 ? 2 : 0;
    // A row names a column once.
    const std::size_t other = line == 0 ? (row * 7 + 5) % 16 : 16 * line + row * 3 % 16;
    train.columns[2 * row + 1] = static_cast<std::uint32_t>(other);
    std::sort(&train.columns[2 * row], &train.columns[2 * row] + 2);
    train.values[2 * row] = 0.5F + static_cast<float>(row % 5);
    train.values[2 * row + 1] = 1.0F;
    train.labels[row] = static_cast<Label>(row * 13 / 3 % 2);
  }
  train.row_begin[rows] = 2 * rows;
  return data;
}

/// One step of logistic regression on a row.
void step_on(const Dataset& data, std::size_t row, double gamma, Doubles& w) {
  const auto nonzeros = data.sparse_row(row);
  double margin = 0.0;
  for (std::size_t k = 0; k < nonzeros.columns.size(); ++k) {
    margin += w[nonzeros.columns[k]] * nonzeros.values[k];
  }
  const double sign = data.labels[row] == 0 ? -1.0 : 1.0;
  const double pull = gamma * sign / (1.0 + std::exp(sign * margin));
  for (std::size_t k = 0; k < nonzeros.columns.size(); ++k) {
    w[nonzeros.columns[k]] += pull * nonzeros.values[k];
  }
}

}  // namespace

TEST_CASE("local-sgd-sum adds up what workers changed", "[scheme][rule:local-sgd-sum]") {
  const Dataset data = test::unlike_data(4);
  constexpr double gamma = 0.1, nu = 0.7;
  const std::size_t size = data.features / 2;
  Doubles x(size, 0.0);
  std::vector<Doubles> y(4, x);
  for (int done = 1; done <= 13; ++done) {
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        const double curvature = static_cast<double>(data.dense_row(i)[j]);
        const double b = static_cast<double>(data.dense_row(i)[size + j]);
        y[i][j] -= gamma * curvature * (y[i][j] - b);
        sum += y[i][j] - x[j];
      }
      if (done % 3 != 0) continue;
      x[j] += nu * sum;
      for (std::size_t i = 0; i < 4; ++i) y[i][j] = x[j];
    }
    CAPTURE(done);
    Configuration c = summing(4, static_cast<std::uint64_t>(done), 3, 8);
    c.hyperparameters["added"] = nu;
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (std::size_t i = 0; i < 4; ++i) test::check_close(found.workers[i], y[i]);
  }
}

// Lines of p = 1, 1/4 and 1/4 have their turns in each visit and in each fourth, and the one that
// no row touches waits longest. Of the two alike the first comes in visits 1, 5, … and the second
// in 3, 7, …, from 0, as ⌊2 (v + 1)/4⌋ goes from 0 to 1 and from 1 to 2 there.
TEST_CASE("a line of local-sgd-sum is exchanged as often as it is used",
          "[scheme][rule:local-sgd-sum]") {
  const LoadedData data = four_lines();
  constexpr std::uint64_t period = 3, steps = 40;
  constexpr double gamma = 0.05;
  constexpr int workers = 4;
  Configuration c = quick("local-sgd-sum", workers, steps);
  c.batch = 1;
  c.order = RowOrder::file;
  c.partition.kind = PartitionRule::Kind::contiguous;
  c.optimizer.lr = gamma;
  c.hyperparameters = {{"period", static_cast<double>(period)}, {"turns", 16}};
  Doubles x(64, 0.0);
  std::vector<Doubles> y(workers, x);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < workers; ++i) step_on(data.train, i * 40 + step % 40, gamma, y[i]);
    if ((step + 1) % period != 0) continue;
    const std::uint64_t visit = (step + 1) / period - 1;
    const auto exchange = [&](std::size_t line) {
      for (std::size_t j = 16 * line; j < 16 * line + 16; ++j) {
        double sum = 0.0;
        for (const Doubles& worker : y) sum += worker[j] - x[j];
        x[j] += sum;
        for (Doubles& worker : y) worker[j] = x[j];
      }
    };
    exchange(0);
    if (visit % 4 == 1) exchange(1);
    if (visit % 4 == 3) exchange(2);
  }
  Doubles mean(64, 0.0);
  for (const Doubles& worker : y) {
    for (std::size_t j = 0; j < 64; ++j) mean[j] += worker[j] / workers;
  }
  const RunResult found = train(c, data);
  double largest = 0.0;
  for (std::size_t j = 0; j < 64; ++j) {
    CAPTURE(j);
    CHECK(found.model.view().floats()[j] == Approx(mean[j]).epsilon(1e-4).margin(1e-6));
    largest = std::max(largest, std::abs(mean[j]));
  }
  CHECK(largest > 0.1);
}

TEST_CASE("local-sgd-sum is local-sgd or diloco where all is exchanged at once", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  Configuration c = summing(4, 22, 4, 1);
  c.hyperparameters["added"] = 0.25;
  Configuration same = summing(4, 22, 4, 1);
  same.scheme = "local-sgd";
  same.hyperparameters = {{"period", 4}};
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(same, data).model);
  c.hyperparameters["added"] = 0.6;
  same.scheme = "diloco";
  same.hyperparameters = {{"period", 4}, {"outer-lr", 2.4}, {"outer-momentum", 0}};
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(same, data).model);
}

TEST_CASE("sums of sparse rows learn in a pass what one worker does, and averages do not",
          "[scheme]") {
  const LoadedData data{"text", generate_sparse_logistic(20'000, 2000, 32, 3), {}};
  const auto loss_of = [&](const char* scheme, int workers, const Hyperparameters& given) {
    Configuration c = quick(scheme, workers, static_cast<std::uint64_t>(60'000 / workers));
    c.batch = 1;
    c.optimizer.lr = 0.3;
    c.hyperparameters = given;
    return train(c, data).summary.train_loss;
  };
  const double one = loss_of("sequential", 1, {});
  CHECK(loss_of("local-sgd-sum", 8, {{"period", 16}}) < 1.02 * one);
  CHECK(loss_of("local-sgd-sum", 8, {{"period", 16}, {"turns", 1}}) < 1.02 * one);
  CHECK(loss_of("local-sgd", 8, {{"period", 16}}) > 1.2 * one);
  // As one worker with an eighth of the step size.
  Configuration small = quick("sequential", 1, 60'000);
  small.batch = 1;
  small.optimizer.lr = 0.3 / 8;
  CHECK(loss_of("local-sgd", 8, {{"period", 16}}) ==
        Approx(train(small, data).summary.train_loss).epsilon(0.02));
}

TEST_CASE("threads add up what fibers do", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const int workers : {3, 4}) {
    Configuration c = quick("local-sgd-sum", workers, 100);
    c.batch = 1;
    c.hyperparameters = {{"period", 3}, {"turns", 8}};
    const std::string fibers = train(c, data).summary.model_hash;
    c.time = TimeMode::wall;
    CHECK(train(c, data).summary.model_hash == fibers);
  }
}
