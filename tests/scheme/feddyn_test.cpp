// FedDyn: against its rule written out, by all and by some of the workers; and that it ends at the
// optimum.
#include <array>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double alpha = 0.8;

struct State {
  double x = 0.0, h = 0.0;
  std::array<double, 5> own{};
};

State after_round(const State& before, const std::vector<std::size_t>& drawn) {
  State after = before;
  double mean = 0.0;
  for (const std::size_t i : drawn) {
    double y = before.x;
    for (int step = 0; step < steps_of_round; ++step) {
      y -= test::federated_lr *
           (test::federated_gradient(i, y) - before.own[i] + alpha * (y - before.x));
    }
    after.own[i] -= alpha * (y - before.x);
    after.h -= alpha / 5.0 * (y - before.x);
    mean += y / static_cast<double>(drawn.size());
  }
  after.x = mean - after.h / alpha;
  return after;
}

}  // namespace

TEST_CASE("feddyn corrects its workers and its mean, and g_i stays with who sits out",
          "[scheme][rule:feddyn]") {
  for (const int many : {1, 2, 3, 5}) {
    Configuration c = test::federated("feddyn", steps_of_round, many / 5.0, 1);
    c.hyperparameters["dynamic-alpha"] = alpha;
    const State end = test::follow_rounds(c, 20, many, State{}, after_round);
    c.steps = 20 * steps_of_round;
    const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
    double mean = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      test::check_close(found.kept[i].at("g_i"), {end.own[i]});
      mean += end.own[i] / 5.0;
    }
    test::check_close(found.kept[5].at("h"), {end.h});
    CHECK(mean == Approx(end.h).epsilon(1e-12).margin(1e-14));
  }
}

TEST_CASE("feddyn ends at the optimum", "[scheme]") {
  for (const double weight : {0.3, 1.0}) {
    for (const double period : {5.0, 20.0}) {
      CAPTURE(weight, period);
      Configuration c = test::federated("feddyn", period, 1.0, 2000);
      c.hyperparameters["dynamic-alpha"] = weight;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      CHECK(found.model[0] == Approx(test::federated_optimum()).margin(1e-12));
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found.kept[i].at("g_i")[0] ==
              Approx(test::federated_gradient(i, test::federated_optimum())).margin(1e-11));
      }
    }
  }
}

// Worker 0 has three equal rows, worker 1 one.
TEST_CASE("feddyn weighed by rows ends at the optimum over rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = test::federated("feddyn", 5, 1.0, 2000);
  c.workers = 2;
  const auto model = [&] {
    return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
  };
  CHECK(model() == Approx((3 * 4.0 - 4.0) / 3.5).epsilon(1e-12));
  c.weights = ShareWeights::workers;
  CHECK(model() == Approx((4.0 - 4.0) / 1.5).margin(1e-12));
}

TEST_CASE("feddyn sends what fedavg sends of dense data", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto bytes = [&](const char* scheme) {
    Configuration c = test::quick(scheme, 5, 60);
    c.hyperparameters = {{"period", 10.0}, {"participation", 0.4}};
    return test::train(c, data).summary.bytes_sent;
  };
  CHECK(bytes("feddyn") == bytes("fedavg"));
}
