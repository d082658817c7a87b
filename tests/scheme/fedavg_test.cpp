// Federated averaging: all workers in it is local SGD; with fewer, each round is the average of
// some of them, all are drawn equally often, and only what was computed is counted.
#include <cmath>
#include <optional>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/federated.hpp"
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

// w_i = 1 − (1 − γ h_i)^τ: who is steep has less of its own way to go, however long the round.
TEST_CASE("fedavg rests where its workers' drifts balance, off the optimum", "[scheme]") {
  const test::Replicas found =
      test::run_on_quadratic(test::federated("fedavg", 5, 1.0, 400), test::federated_data());
  const double rest = test::weighed_minima(
      [](std::size_t, double h) { return 1.0 - std::pow(1.0 - test::federated_lr * h, 5); });
  CHECK(found.model[0] == Approx(rest).epsilon(1e-12));
  // Worked out elsewhere, with data that are no floats.
  CHECK(rest == Approx(0.07074442831970263).epsilon(1e-6));
  CHECK(test::federated_optimum() == Approx(0.00517241379310).epsilon(1e-5));
}

TEST_CASE("with local steps by speed a slow worker takes fewer, and holds nobody up", "[scheme]") {
  Configuration c = test::federated("fedavg", 6, 1.0, 1);
  c.hyperparameters["local-steps"] = 2;
  c.stragglers = {{1, 2.0}, {2, 4.0}, {4, 100.0}};
  const std::vector<int> steps{6, 3, 1, 6, 1};
  double mean = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double h = test::federated_curvatures()[i], a = test::federated_minima()[i];
    mean += a * (1.0 - std::pow(1.0 - test::federated_lr * h, steps[i])) / 5.0;
  }
  test::check_close(test::run_on_quadratic(c, test::federated_data()).model, {mean});
}

TEST_CASE("with local steps of an epoch each worker passes over its share", "[scheme]") {
  // Worker 0 has three equal rows, worker 1 one.
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  for (const auto& [period, first_steps] : {std::pair(8.0, 3), std::pair(2.0, 2)}) {
    CAPTURE(period);
    Configuration c = test::federated("fedavg", period, 1.0, 1);
    c.workers = 2;
    c.hyperparameters["local-steps"] = 1;
    const double first = 4.0 - std::pow(0.9, first_steps) * 4.0, second = -8.0 + 0.95 * 8.0;
    const test::Replicas found = test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}});
    test::check_close(found.model, {(3 * first + second) / 4});
  }
}

TEST_CASE("drawn local steps are drawn anew by each worker in each round", "[scheme]") {
  constexpr int period = 3, rounds = 90;
  std::vector<int> times(period + 1, 0);
  double before = 0.0;
  for (int round = 1; round <= rounds; ++round) {
    CAPTURE(round);
    Configuration c = test::federated("fedavg", period, 0.2, static_cast<std::uint64_t>(round));
    c.hyperparameters["local-steps"] = 3;
    const double after = test::run_on_quadratic(c, test::federated_data()).model[0];
    int found = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double h = test::federated_curvatures()[i], a = test::federated_minima()[i];
      for (int steps = 1; steps <= period; ++steps) {
        const double alone = a + std::pow(1.0 - test::federated_lr * h, steps) * (before - a);
        if (std::abs(alone - after) > 1e-12) continue;
        ++times[static_cast<std::size_t>(steps)];
        ++found;
      }
    }
    REQUIRE(found == 1);
    before = after;
  }
  for (int steps = 1; steps <= period; ++steps) {
    // Binomial: five standard deviations.
    CHECK(std::abs(times[static_cast<std::size_t>(steps)] - 30) < 5 * std::sqrt(20.0));
  }
}

TEST_CASE("what no local step takes is no minibatch, and no time", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("fedavg", 4, 40);
  c.hyperparameters = {{"period", 10.0}, {"participation", 1.0}, {"local-steps", 2.0}};
  c.stragglers = {{3, 5.0}};
  const RunResult result = test::train(c, data);
  CHECK(result.summary.samples == 4U * 4U * (3U * 10U + 2U));
  CHECK(result.summary.seconds == Approx(40e-3));
}

// The server shrinks what a worker's minibatches do not touch by as many steps as that worker took.
TEST_CASE("with local steps of their own workers have the same bits by keys", "[scheme]") {
  const LoadedData data = test::sparse_problem(400, 3000);
  for (const char* scheme : {"fedavg", "fedopt", "fednova"}) {
    for (const double local_steps : {2.0, 3.0}) {
      CAPTURE(scheme, local_steps);
      Configuration c = test::quick(scheme, 5, 60);
      c.l2 = 0.05;
      c.hyperparameters["local-steps"] = local_steps;
      c.stragglers = {{1, 3.0}, {2, 20.0}};
      const RunResult by_keys = test::train(c, data);
      c.sparse_wire = SparseWire::off;
      const RunResult whole = test::train(c, data);
      CHECK(by_keys.summary.model_hash == whole.summary.model_hash);
      CHECK(by_keys.summary.bytes_sent < whole.summary.bytes_sent);
    }
  }
}

TEST_CASE("a federated round of one step takes what its closed form says, and so does an exchange",
          "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  struct Case {
    const char* scheme;
    int workers;
    double participation;
  };
  for (const Case& one :
       {Case{"fedavg", 1, 1.0}, Case{"fedavg", 4, 1.0}, Case{"fedprox", 4, 1.0},
        Case{"feddyn", 4, 1.0}, Case{"fedpd", 4, 1.0}, Case{"fed-lt", 4, 1.0},
        Case{"fednova", 3, 1.0}, Case{"fedopt", 4, 1.0}, Case{"scaffold", 1, 1.0},
        Case{"scaffold", 4, 1.0}, Case{"scaffold", 5, 0.4}, Case{"fedasync", 1, 1.0},
        Case{"fedasync", 4, 1.0}, Case{"fedbuff", 4, 1.0}, Case{"async-local-sgd", 4, 1.0}}) {
    CAPTURE(one.scheme, one.workers, one.participation);
    Configuration c = test::quick(one.scheme, one.workers, 1);
    c.network = {.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e5};
    c.hyperparameters = {{"period", 1.0}, {"participation", one.participation}};
    const Scheme& scheme = find_scheme(one.scheme);
    const Hyperparameters given = with_fallbacks(scheme, c.hyperparameters, one.workers);
    const Ingredients none;
    const auto time = scheme.cost.time({.workers = one.workers,
                                        .parameters = 20,
                                        .compute = std::chrono::milliseconds(1),
                                        .message = FloatMessages{c.network},
                                        .message_of_bytes = ByteMessages{c.network},
                                        .ingredients = none,
                                        .hyperparameters = given});
    REQUIRE(time);
    CHECK(to_seconds(*time) == Approx(test::train(c, data).summary.seconds).epsilon(1e-9));
  }
}
