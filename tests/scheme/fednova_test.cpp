// FedNova: against its rule written out, with unequal numbers of steps; and where it rests.
#include <cmath>
#include <optional>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 6;
const std::vector<int> steps{6, 3, 1, 6, 2};

/// Workers take these numbers of steps.
Configuration with_unequal_steps(const char* scheme, double participation, std::uint64_t rounds) {
  Configuration c = test::federated(scheme, steps_of_round, participation, rounds);
  c.hyperparameters["local-steps"] = 2;  // by speed
  c.stragglers = {{1, 2.0}, {2, 4.0}, {4, 3.0}};
  return c;
}

struct State {
  double x = 0.0;
};

/// As the paper has it: x − τ_eff Σ p_i d_i, d_i = Σ_k γ g_i(x_i,k) / τ_i.
State after_round(const State& before, const std::vector<std::size_t>& drawn) {
  const double p = 1.0 / static_cast<double>(drawn.size());
  double mean = 0.0, effective = 0.0;
  for (const std::size_t i : drawn) {
    double y = before.x, sum = 0.0;
    for (int k = 0; k < steps[i]; ++k) {
      const double gradient = test::federated_gradient(i, y);
      sum += test::federated_lr * gradient;
      y -= test::federated_lr * gradient;
    }
    mean += p * sum / steps[i];
    effective += p * steps[i];
  }
  return {before.x - effective * mean};
}

}  // namespace

TEST_CASE("fednova takes as much from each way, however many steps it had",
          "[scheme][rule:fednova]") {
  for (const int many : {1, 2, 3, 5}) {
    test::follow_rounds(with_unequal_steps("fednova", many / 5.0, 1), 15, many, State{},
                        after_round);
  }
}

TEST_CASE("fednova with equal steps is fedavg", "[scheme]") {
  const Dataset data = test::federated_data();
  for (const double participation : {1.0, 0.6}) {
    test::check_close(
        test::run_on_quadratic(test::federated("fednova", 5, participation, 20), data).model,
        test::run_on_quadratic(test::federated("fedavg", 5, participation, 20), data).model);
  }
}

// For γ → 0 fedavg weighs worker i by τ_i h_i, fednova by h_i, as the optimum does.
TEST_CASE("fednova rests by what a worker's step comes to, fedavg by what all of them do",
          "[scheme]") {
  const auto drift = [](std::size_t i, double h) {
    return 1.0 - std::pow(1.0 - test::federated_lr * h, steps[i]);
  };
  const double nova_rest =
      test::weighed_minima([&](std::size_t i, double h) { return drift(i, h) / steps[i]; });
  const double average_rest = test::weighed_minima(drift);
  const auto found = [](const char* scheme) {
    return test::run_on_quadratic(with_unequal_steps(scheme, 1.0, 600), test::federated_data())
        .model[0];
  };
  CHECK(found("fednova") == Approx(nova_rest).epsilon(1e-12));
  CHECK(found("fedavg") == Approx(average_rest).epsilon(1e-12));
  const double optimum = test::federated_optimum();
  CHECK(std::abs(nova_rest - optimum) < 0.4 * std::abs(average_rest - optimum));
}

// Worker 0 has three equal rows, worker 1 one: p = ¾, ¼; three steps and one.
TEST_CASE("fednova weighs by rows what a step comes to", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = test::federated("fednova", 8, 1.0, 1);
  c.workers = 2;
  c.hyperparameters["local-steps"] = 1;  // an epoch each
  const double first = 4.0 * (1.0 - std::pow(0.9, 3)) / 3.0, second = -8.0 * 0.05;
  const double effective = 0.75 * 3 + 0.25 * 1;
  test::check_close(test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model,
                    {effective * (0.75 * first + 0.25 * second)});
}
