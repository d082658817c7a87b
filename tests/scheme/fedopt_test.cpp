// FedOpt: each of its server's optimizers against its rule written out, and momentum against what
// it is for certain values.
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double eta = 0.05, beta1 = 0.8, beta2 = 0.9, epsilon = 0.02;
enum Optimizer { adam, yogi, adagrad, momentum };

struct State {
  double x = 0.0, m = 0.0, v = epsilon * epsilon;
};

Configuration configuration(double optimizer, double participation, std::uint64_t rounds) {
  Configuration c = test::federated("fedopt", steps_of_round, participation, rounds);
  c.hyperparameters.insert({{"server-optimizer", optimizer},
                            {"server-lr", eta},
                            {"server-beta1", beta1},
                            {"server-beta2", beta2},
                            {"adaptivity", epsilon}});
  return c;
}

double sign(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

State step(const State& before, double way, int optimizer) {
  State after = before;
  if (optimizer == momentum) {
    after.m = beta1 * before.m + way;
    after.x = before.x + eta * after.m;
    return after;
  }
  after.m = beta1 * before.m + (1.0 - beta1) * way;
  const double square = way * way;
  if (optimizer == adam) after.v = beta2 * before.v + (1.0 - beta2) * square;
  if (optimizer == yogi) {
    after.v = before.v - (1.0 - beta2) * square * sign(before.v - square);
  }
  if (optimizer == adagrad) after.v = before.v + square;
  after.x = before.x + eta * after.m / (std::sqrt(after.v) + epsilon);
  return after;
}

}  // namespace

TEST_CASE("fedopt's server steps along the mean way of a round", "[scheme][rule:fedopt]") {
  for (const int optimizer : {adam, yogi, adagrad, momentum}) {
    for (const int many : {1, 3, 5}) {
      CAPTURE(optimizer);
      const auto after_round = [&](const State& before, const std::vector<std::size_t>& drawn) {
        double way = 0.0;
        for (const std::size_t i : drawn) {
          double y = before.x;
          for (int k = 0; k < steps_of_round; ++k) {
            y -= test::federated_lr * test::federated_gradient(i, y);
          }
          way += (y - before.x) / static_cast<double>(drawn.size());
        }
        return step(before, way, optimizer);
      };
      Configuration c = configuration(optimizer, many / 5.0, 1);
      c.servers = many == 5 ? 2 : 1;
      test::follow_rounds(c, 20, many, State{}, after_round);
    }
  }
}

TEST_CASE("fedopt with momentum is fedavg without it, and diloco with heavy ball", "[scheme]") {
  const Dataset data = test::federated_data();
  Configuration c = configuration(momentum, 0.6, 20);
  c.hyperparameters["server-lr"] = 1.0;
  c.hyperparameters["server-beta1"] = 0.0;
  test::check_close(
      test::run_on_quadratic(c, data).model,
      test::run_on_quadratic(test::federated("fedavg", steps_of_round, 0.6, 20), data).model);
  Configuration diloco = test::federated("diloco", steps_of_round, 1.0, 20);
  diloco.hyperparameters = {{"period", steps_of_round},
                            {"outer-lr", eta},
                            {"outer-momentum", beta1},
                            {"outer-optimizer", 1.0}};
  test::check_close(test::run_on_quadratic(configuration(momentum, 1.0, 20), data).model,
                    test::run_on_quadratic(diloco, data).model);
}

// A round of one step by all: Adam on γ times the mean gradient, without its correction of bias.
TEST_CASE("fedopt in rounds of one step is its optimizer on the mean gradient", "[scheme]") {
  for (const int optimizer : {adam, yogi, adagrad}) {
    State state;
    for (int round = 0; round < 30; ++round) {
      double mean = 0.0;
      for (std::size_t i = 0; i < 5; ++i) mean += test::federated_gradient(i, state.x) / 5.0;
      state = step(state, -test::federated_lr * mean, optimizer);
    }
    Configuration c = configuration(optimizer, 1.0, 1);
    c.hyperparameters["period"] = 1.0;
    c.steps = 30;
    const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
    test::check_close(found.model, {state.x});
    test::check_close(found.kept[5].at("m"), {state.m});
    test::check_close(found.kept[5].at("v"), {state.v});
  }
}
