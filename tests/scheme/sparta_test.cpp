// SPARTA: each coordinate is averaged over all workers or over none, as often as it should be.
#include <cmath>
#include <cstdint>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr std::size_t workers = 3;

/// Quadratics of so many coordinates, whose numbers floats hold.
struct Quadratics {
  std::vector<Doubles> h, b;

  explicit Quadratics(std::size_t dimension) : h(workers), b(workers) {
    for (std::size_t i = 0; i < workers; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        h[i].push_back(0.25 * static_cast<double>(1 + (i + j) % 4));
        b[i].push_back(0.5 * static_cast<double>((3 * i + 5 * j) % 7) - 1.0);
      }
    }
  }
};

Configuration configuration(const std::string& scheme, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  return c;
}

Configuration with_share(std::uint64_t steps, double share) {
  Configuration c = configuration("sparta", steps);
  c.hyperparameters["averaged-share"] = share;
  return c;
}

/// Within five standard deviations of a count of so many draws.
void check_binomial(std::size_t found, std::size_t draws, double probability) {
  const auto n = static_cast<double>(draws);
  CAPTURE(found, draws, probability);
  CHECK(std::abs(static_cast<double>(found) - n * probability) <
        5.0 * std::sqrt(n * probability * (1.0 - probability)));
}

}  // namespace

// Which coordinates a step averages is drawn, and read off here: after a step of its own each
// coordinate of all three is their mean, or none is.
TEST_CASE("sparta averages a coordinate over all workers or leaves it to them",
          "[scheme][rule:sparta]") {
  constexpr std::size_t dimension = 300, steps = 40;
  constexpr double share = 0.15;
  const Quadratics q(dimension);
  const Dataset data = test::quadratic_data(q.h, q.b);
  std::vector<Doubles> x(workers, Doubles(dimension, 0.0));
  std::vector<bool> before(dimension, false);
  std::size_t averaged = 0, twice_running = 0, of_neighbours = 0;
  for (std::size_t done = 1; done <= steps; ++done) {
    const test::Replicas found = test::run_on_quadratic(with_share(done, share), data);
    std::vector<bool> now(dimension);
    for (std::size_t j = 0; j < dimension; ++j) {
      double mean = 0.0;
      for (std::size_t i = 0; i < workers; ++i) {
        x[i][j] -= 0.1 * q.h[i][j] * (x[i][j] - q.b[i][j]);
        mean += x[i][j] / workers;
      }
      now[j] = found.workers[0][j] == found.workers[1][j] &&  // one step may lead two to one place
               found.workers[0][j] == found.workers[2][j];
      for (std::size_t i = 0; i < workers && now[j]; ++i) x[i][j] = mean;
      averaged += now[j] ? 1 : 0;
      twice_running += now[j] && before[j] ? 1 : 0;
      of_neighbours += j > 0 && now[j] && now[j - 1] ? 1 : 0;
    }
    CAPTURE(done);
    for (std::size_t i = 0; i < workers; ++i) test::check_close(found.workers[i], x[i]);
    before = now;
  }
  check_binomial(averaged, steps * dimension, share);
  // By itself: neither what the step before nor what the coordinate before it drew matters.
  check_binomial(twice_running, (steps - 1) * dimension, share * share);
  check_binomial(of_neighbours, steps * (dimension - 1), share * share);
}

TEST_CASE("sparta of all parameters is local-sgd with a period of 1, and ring", "[scheme]") {
  const Quadratics q(5);
  const Dataset data = test::quadratic_data(q.h, q.b);
  const test::Replicas all = test::run_on_quadratic(with_share(20, 1.0), data);
  Configuration same = configuration("local-sgd", 20);
  same.hyperparameters["period"] = 1;
  CHECK(all.workers == test::run_on_quadratic(same, data).workers);
  const Doubles ring = test::run_on_quadratic(configuration("ring", 20), data).model;
  for (const Doubles& replica : all.workers) test::check_close(replica, ring);
}

TEST_CASE("workers of sparta that average nothing are by themselves", "[scheme]") {
  const Quadratics q(5);
  const test::Replicas found =
      test::run_on_quadratic(with_share(20, 0.0), test::quadratic_data(q.h, q.b));
  for (std::size_t i = 0; i < workers; ++i) {
    Configuration alone = configuration("ring", 20);
    alone.workers = 1;
    const Dataset own = test::quadratic_data({q.h[i]}, {q.b[i]});
    CHECK(found.workers[i] == test::run_on_quadratic(alone, own).workers[0]);
  }
}

// Without gradients a coordinate is as it began until it is averaged, and at the mean from then on:
// a share of (1 - p)^T is left after T steps, and with it of the consensus distance.
TEST_CASE("after T steps sparta has left a share of (1 - p)^T", "[scheme]") {
  constexpr std::size_t dimension = 4000;
  constexpr double share = 0.05;
  const std::vector<Doubles> nothing(workers, Doubles(dimension, 0.0));
  const Dataset data = test::quadratic_data(nothing, nothing);
  test::Special special;
  for (std::size_t i = 0; i < workers; ++i) {
    special.starts.emplace_back(dimension, static_cast<double>(i));
  }
  for (const std::uint64_t steps : {1U, 10U, 60U}) {
    const test::Replicas found =
        test::run_on_quadratic(with_share(steps, share), data, {}, special);
    std::size_t left = 0;
    for (std::size_t j = 0; j < dimension; ++j) {
      const bool is_mean = found.workers[0][j] == 1.0;
      left += is_mean ? 0 : 1;
      for (std::size_t i = 0; i < workers; ++i) {
        CHECK(found.workers[i][j] == (is_mean ? 1.0 : static_cast<double>(i)));
      }
    }
    check_binomial(left, dimension, std::pow(1.0 - share, static_cast<double>(steps)));
  }
}

TEST_CASE("sparta sends the numbers that it averages, and no places", "[scheme]") {
  constexpr std::size_t dimension = 840, steps = 200;
  const LoadedData data = test::dense_problem(50, dimension);
  for (const double share : {0.005, 0.1, 1.0}) {
    Configuration c = test::quick("sparta", 4, steps);
    c.hyperparameters["averaged-share"] = share;
    const std::uint64_t bytes = test::train(c, data).summary.bytes_sent;
    // Around a ring each number is sent 2(n - 1) times.
    CHECK(bytes % (6 * sizeof(float)) == 0);
    if (share < 1.0) check_binomial(bytes / (6 * sizeof(float)), steps * dimension, share);
    if (share == 1.0) CHECK(bytes == steps * dimension * 6 * sizeof(float));
  }
}
