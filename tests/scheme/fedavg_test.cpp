// Federated averaging: all workers in it is local SGD; with fewer, each round is the average of
// some of them, all are drawn equally often, and only what was computed is counted.
#include <cmath>
#include <optional>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const Doubles h{1.0, 0.5, 2.0, 1.5, 0.25};
const Doubles b{1.0, -2.0, 0.5, 7.0, -4.0};
constexpr double lr = 0.1;

Dataset five_quadratics() {
  std::vector<Doubles> curvatures, minima;
  for (std::size_t i = 0; i < h.size(); ++i) {
    curvatures.push_back({h[i]});
    minima.push_back({b[i]});
  }
  return test::quadratic_data(curvatures, minima);
}

Configuration configuration(double participation, std::uint64_t steps) {
  Configuration c;
  c.scheme = "fedavg";
  c.workers = 5;
  c.steps = steps;
  c.optimizer.lr = lr;
  c.hyperparameters = {{"period", 3.0}, {"participation", participation}};
  return c;
}

/// Which workers' replicas, after τ = 3 steps from `before`, have the mean `after`.
std::optional<unsigned> who_took_part(double before, double after, int how_many) {
  std::optional<unsigned> found;
  for (unsigned set = 1; set < 32; ++set) {
    if (__builtin_popcount(set) != how_many) continue;
    double mean = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      if ((set >> i & 1U) == 0) continue;
      mean += (b[i] + std::pow(1.0 - lr * h[i], 3) * (before - b[i])) / how_many;
    }
    if (std::abs(mean - after) > 1e-11) continue;
    CHECK_FALSE(found);  // or the check below says little
    found = set;
  }
  return found;
}

}  // namespace

TEST_CASE("fedavg by all workers is local-sgd", "[scheme]") {
  const Dataset data = five_quadratics();
  for (const std::uint64_t steps : {1U, 3U, 10U, 60U}) {
    for (const int servers : {1, 2}) {
      CAPTURE(steps, servers);
      Configuration c = configuration(1.0, steps);
      c.servers = servers;
      const test::Replicas found = test::run_on_quadratic(c, data);
      c.scheme = "local-sgd";
      const test::Replicas local = test::run_on_quadratic(c, data);
      for (std::size_t i = 0; i < 5; ++i) test::check_close(found.workers[i], local.workers[i]);
    }
  }
}

TEST_CASE("each round of fedavg is the average of as many workers as asked for",
          "[scheme][rule:fedavg]") {
  const Dataset data = five_quadratics();
  struct Row {
    double participation;
    int workers;
  };
  for (const Row& row : {Row{0.0, 1}, Row{0.2, 1}, Row{0.4, 2}, Row{0.5, 3}, Row{0.8, 4}}) {
    std::vector<int> times(5, 0);
    double before = 0.0;
    const int rounds = 120;
    for (int round = 1; round <= rounds; ++round) {
      CAPTURE(row.participation, round);
      const auto steps = static_cast<std::uint64_t>(3 * round);
      const test::Replicas found =
          test::run_on_quadratic(configuration(row.participation, steps), data);
      const double after = found.model[0];
      for (const Doubles& replica : found.workers) CHECK(replica[0] == after);
      const auto set = who_took_part(before, after, row.workers);
      REQUIRE(set);
      for (std::size_t i = 0; i < 5; ++i) times[i] += static_cast<int>(*set >> i & 1U);
      before = after;
    }
    // Binomial: five standard deviations.
    const double share = row.workers / 5.0;
    for (const int count : times) {
      CAPTURE(row.participation, count);
      CHECK(std::abs(count - rounds * share) < 5 * std::sqrt(rounds * share * (1 - share)));
    }
  }
}

TEST_CASE("fedavg weighs replicas by the rows of their shares", "[scheme]") {
  // Worker 0 has three equal rows, worker 1 one.
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = configuration(1.0, 3);
  c.workers = 2;
  const double first = 4.0 - std::pow(0.9, 3) * 4.0, second = -8.0 + std::pow(0.95, 3) * 8.0;
  const test::Replicas found = test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}});
  test::check_close(found.model, {(3 * first + second) / 4});
}

TEST_CASE("fedavg counts the minibatches and bytes of those who take part", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("fedavg", 5, 60);
  c.hyperparameters = {{"period", 10.0}, {"participation", 0.4}};
  c.evaluate_every = 0.5;
  const RunResult result = test::train(c, data);
  CHECK(result.summary.samples == 60U * 2U * 4U);
  CHECK(result.summary.steps == 60.0);
  CHECK(result.summary.bytes_sent == 6U * (2U + 5U) * 20U * sizeof(float));
  // Half of an epoch is 25 steps of the two who take part, of four rows each.
  std::vector<std::uint64_t> samples;
  for (const Metrics& metrics : result.metrics) samples.push_back(metrics.samples);
  CHECK(samples == std::vector<std::uint64_t>{0, 200, 400, 480});
}
