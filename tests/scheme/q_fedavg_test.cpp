// q-FedAvg: against its rule written out as the paper has it, by all and by some of the workers;
// fedavg where losses do not count; where it rests; and that losses come out more alike.
#include <algorithm>
#include <array>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;

Configuration q_fedavg(double q, double period, double participation, std::uint64_t rounds) {
  Configuration c = test::federated("q-fedavg", period, participation, rounds);
  c.hyperparameters["fairness"] = q;
  return c;
}

double loss(std::size_t i, double x) {
  const double way = x - test::federated_minima()[i];
  return test::federated_curvatures()[i] * way * way / 2.0;
}

struct State {
  double x = 0.0;
};

/// Σ F^q ∇F
double slope(double q, double x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    sum += std::pow(loss(i, x), q) * test::federated_gradient(i, x);
  }
  return sum;
}

double rest_of(double q) {
  double low = -1.0, high = 2.0;  // the outermost minima
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2.0;
    (slope(q, middle) < 0.0 ? low : high) = middle;
  }
  return low;
}

}  // namespace

TEST_CASE("q-fedavg weighs ways by losses and goes as far as its bound allows",
          "[scheme][rule:q-fedavg]") {
  for (const double q : {0.0, 0.5, 1.0, 3.0}) {
    const auto after_round = [&](const State& before, const std::vector<std::size_t>& drawn) {
      constexpr double lipschitz = 1.0 / test::federated_lr;
      double ways = 0.0, bounds = 0.0;
      for (const std::size_t k : drawn) {
        double w = before.x;
        for (int step = 0; step < steps_of_round; ++step) {
          w -= test::federated_lr * test::federated_gradient(k, w);
        }
        const double way = lipschitz * (before.x - w), f = loss(k, before.x) + 1e-10;
        ways += std::pow(f, q) * way;
        bounds += q * std::pow(f, q - 1.0) * way * way + lipschitz * std::pow(f, q);
      }
      return State{before.x - ways / bounds};
    };
    for (const int many : {1, 2, 3, 5}) {
      for (const int servers : {1, 2}) {
        CAPTURE(q, many, servers);
        Configuration c = q_fedavg(q, steps_of_round, many / 5.0, 1);
        c.servers = servers;
        test::follow_rounds(c, 15, many, State{}, after_round);
      }
    }
  }
}

TEST_CASE("q-fedavg to which losses do not matter is fedavg", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const std::uint64_t rounds : {1U, 2U, 20U}) {
    Configuration c = q_fedavg(0.0, 5, 0.6, rounds);
    c.servers = 2;
    const test::Replicas found = test::run_on_quadratic(c, data);
    c = test::federated("fedavg", 5, 0.6, rounds);
    test::check_close(found.model, test::run_on_quadratic(c, data).model);
  }
}

TEST_CASE("q-fedavg in rounds of one step rests where powers of losses add up to least",
          "[scheme]") {
  for (const double q : {0.0, 0.5, 1.0, 4.0}) {
    CAPTURE(q);
    const test::Replicas found =
        test::run_on_quadratic(q_fedavg(q, 1, 1.0, 4000), test::federated_data());
    CHECK(found.model[0] == Approx(rest_of(q)).margin(1e-8));
  }
  CHECK(rest_of(0.0) == Approx(test::federated_optimum()).margin(1e-12));
}

// f = x²/2 and 2 (x − 3)²: it rests where x/(3 − x) = 4^((q + 1)/(2q + 1)), between the optimum of
// the mean, 4, and that of the worst, 2.
TEST_CASE("the more losses matter to q-fedavg, the smaller is the greater of two", "[scheme]") {
  const Dataset data = test::quadratic_data({{1.0}, {4.0}}, {{0.0}, {3.0}});
  double before = INFINITY;
  for (const double q : {0.0, 0.5, 1.0, 2.0, 5.0}) {
    CAPTURE(q);
    Configuration c = q_fedavg(q, 1, 1.0, 4000);
    c.workers = 2;
    const double x = test::run_on_quadratic(c, data).model[0];
    CHECK(x / (3.0 - x) == Approx(std::pow(4.0, (q + 1.0) / (2.0 * q + 1.0))).epsilon(1e-8));
    const double worst = std::max(x * x / 2.0, 2.0 * (3.0 - x) * (3.0 - x));
    CHECK(worst < before);
    before = worst;
  }
}

// Worker 0 has three equal rows, worker 1 one: Σ n_k F_k ∇F_k = 0.
TEST_CASE("q-fedavg counts by rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {1.0}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = q_fedavg(1.0, 1, 1.0, 4000);
  c.workers = 2;
  const auto model = [&] {
    return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
  };
  // 3 (4 − x)³ = (x + 8)³
  const double root = std::cbrt(3.0);
  CHECK(model() == Approx((4.0 * root - 8.0) / (1.0 + root)).epsilon(1e-8));
  c.weights = ShareWeights::workers;
  CHECK(model() == Approx(-2.0).epsilon(1e-8));
}

TEST_CASE("q-fedavg's loss is that of all rows, with the regulariser, at half a pass's time",
          "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto run = [&](const char* scheme) {
    Configuration c = test::quick(scheme, 4, 30);
    c.hyperparameters = {{"period", 10.0}, {"participation", 0.5}};
    return test::train(c, data).summary;
  };
  const auto found = run("q-fedavg"), fedavg = run("fedavg");
  CHECK(found.samples == fedavg.samples);
  // A share has 25 minibatches.
  CHECK(found.seconds - fedavg.seconds == Approx(3 * 25 * 0.5e-3).epsilon(1e-9));
  CHECK(found.bytes_sent == fedavg.bytes_sent + 3U * 2U * 2U * sizeof(float));
}
