// SCAFFOLD: against its rule written out, by all and by some of the workers; and that it ends at
// the optimum where fedavg does not.
#include <array>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double global_lr = 0.75;

struct State {
  double x = 0.0, c = 0.0;
  std::array<double, 5> own{};
};

State after_round(const State& before, const std::vector<std::size_t>& drawn) {
  State after = before;
  double way = 0.0, change = 0.0;
  for (const std::size_t i : drawn) {
    double y = before.x, mean = 0.0;
    for (int step = 0; step < steps_of_round; ++step) {
      const double corrected = test::federated_gradient(i, y) - before.own[i] + before.c;
      mean += corrected / steps_of_round;
      y -= test::federated_lr * corrected;
    }
    // Option II, of the mean of what it stepped along.
    after.own[i] = before.own[i] - before.c + mean;
    way += y - before.x;
    change += after.own[i] - before.own[i];
  }
  const auto many = static_cast<double>(drawn.size());
  after.x = before.x + global_lr * way / many;
  after.c = before.c + change / 5.0;
  return after;
}

}  // namespace

TEST_CASE("scaffold corrects steps by control variates, and c_i stays with who sits out",
          "[scheme][rule:scaffold]") {
  for (const int many : {1, 2, 3, 5}) {
    for (const int servers : {1, 2}) {
      Configuration c = test::federated("scaffold", steps_of_round, many / 5.0, 1);
      c.servers = servers;
      c.hyperparameters["global-lr"] = global_lr;
      const State end = test::follow_rounds(c, 25, many, State{}, after_round);
      c.steps = 25 * steps_of_round;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      for (std::size_t i = 0; i < 5; ++i) {
        test::check_close(found.kept[i].at("c_i"), {end.own[i]});
        test::check_close(found.kept[i].at("c"), {end.c});
      }
      double mean = 0.0;
      for (const double own : end.own) mean += own / 5.0;
      CHECK(mean == Approx(end.c).epsilon(1e-12).margin(1e-14));
    }
  }
}

TEST_CASE("scaffold's first round is fedavg's", "[scheme]") {
  const Dataset data = test::federated_data();
  test::check_close(test::run_on_quadratic(test::federated("scaffold", 7, 0.6, 1), data).model,
                    test::run_on_quadratic(test::federated("fedavg", 7, 0.6, 1), data).model);
}

TEST_CASE("scaffold by all workers in rounds of one step is gradient descent", "[scheme]") {
  const test::Replicas found =
      test::run_on_quadratic(test::federated("scaffold", 1, 1.0, 30), test::federated_data());
  double x = 0.0, before = 0.0;
  for (int step = 0; step < 30; ++step) {
    double mean = 0.0;
    for (std::size_t i = 0; i < 5; ++i) mean += test::federated_gradient(i, x) / 5.0;
    before = x;
    x -= test::federated_lr * mean;
  }
  test::check_close(found.model, {x});
  for (std::size_t i = 0; i < 5; ++i) {
    test::check_close(found.kept[i].at("c_i"), {test::federated_gradient(i, before)});
  }
}

TEST_CASE("scaffold ends at the optimum, however many steps a round has", "[scheme]") {
  for (const double period : {1.0, 5.0, 20.0}) {
    for (const double participation : {1.0, 0.4}) {
      CAPTURE(period, participation);
      const test::Replicas found = test::run_on_quadratic(
          test::federated("scaffold", period, participation, 800), test::federated_data());
      CHECK(found.model[0] == Approx(test::federated_optimum()).margin(1e-12));
    }
  }
}

// Worker 0 has three equal rows, worker 1 one.
TEST_CASE("scaffold weighed by rows ends at the optimum over rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = test::federated("scaffold", 5, 1.0, 500);
  c.workers = 2;
  const auto model = [&] {
    return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
  };
  CHECK(model() == Approx((3 * 4.0 - 4.0) / 3.5).epsilon(1e-12));
  c.weights = ShareWeights::workers;
  CHECK(model() == Approx((4.0 - 4.0) / 1.5).margin(1e-12));
}

// The mean of what a round stepped along is its way over the sum of its step sizes.
TEST_CASE("scaffold's control variates are gradients while the step size falls", "[scheme]") {
  Configuration c = test::federated("scaffold", 4, 1.0, 1);
  c.workers = 1;
  c.optimizer.lr_decay = 0.5;
  const Dataset data = test::quadratic_data({{2.0}}, {{3.0}});
  const test::Replicas found = test::run_on_quadratic(c, data);
  double y = 0.0, gammas = 0.0, sum = 0.0;
  for (int step = 0; step < 4; ++step) {
    const double gamma = 0.1 / (1.0 + 0.5 * step), gradient = 2.0 * (y - 3.0);
    y -= gamma * gradient;
    gammas += gamma;
    sum += gamma * gradient;
  }
  test::check_close(found.kept[0].at("c_i"), {sum / gammas});
}

TEST_CASE("scaffold sends twice fedavg's bytes each way", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("scaffold", 5, 60);
  c.hyperparameters = {{"period", 10.0}, {"participation", 0.4}};
  const RunResult result = test::train(c, data);
  CHECK(result.summary.samples == 60U * 2U * 4U);
  CHECK(result.summary.bytes_sent == 2U * 6U * (2U + 5U) * 20U * sizeof(float));
}
