// Mime and MimeLite: against their rules written out, by all and by some of the workers; SGD with
// momentum, and fedavg, where they are that; and where they rest.
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double beta = 0.7;

Configuration mime(const char* scheme, double period, double participation, std::uint64_t rounds,
                   double moment_kept = beta) {
  Configuration c = test::federated(scheme, period, participation, rounds);
  c.hyperparameters["server-beta1"] = moment_kept;
  return c;
}

struct State {
  double x = 0.0, m = 0.0;
};

State after_round(const State& before, const std::vector<std::size_t>& drawn, bool lite) {
  const auto many = static_cast<double>(drawn.size());
  double c = 0.0;
  for (const std::size_t i : drawn) c += test::federated_gradient(i, before.x) / many;
  State after{0.0, beta * before.m + (1.0 - beta) * c};
  for (const std::size_t i : drawn) {
    double y = before.x;
    for (int step = 0; step < steps_of_round; ++step) {
      double direction = test::federated_gradient(i, y);
      if (!lite) direction += c - test::federated_gradient(i, before.x);
      y -= test::federated_lr * ((1.0 - beta) * direction + beta * before.m);
    }
    after.x += y / many;
  }
  return after;
}

}  // namespace

TEST_CASE("mime corrects local steps by whole gradients, with a moment that stands still",
          "[scheme][rule:mime]") {
  for (const int many : {1, 2, 3, 5}) {
    for (const int servers : {1, 2}) {
      Configuration c = mime("mime", steps_of_round, many / 5.0, 1);
      c.servers = servers;
      const State end = test::follow_rounds(
          c, 20, many, State{}, [](const State& before, const std::vector<std::size_t>& drawn) {
            return after_round(before, drawn, false);
          });
      c.steps = 20 * steps_of_round;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      for (std::size_t i = 0; i < 5; ++i) test::check_close(found.kept[i].at("m"), {end.m});
    }
  }
}

TEST_CASE("mime-lite takes whole gradients for its moment alone", "[scheme][rule:mime-lite]") {
  for (const int many : {1, 2, 3, 5}) {
    for (const int servers : {1, 2}) {
      Configuration c = mime("mime-lite", steps_of_round, many / 5.0, 1);
      c.servers = servers;
      const State end = test::follow_rounds(
          c, 20, many, State{}, [](const State& before, const std::vector<std::size_t>& drawn) {
            return after_round(before, drawn, true);
          });
      c.steps = 20 * steps_of_round;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      for (std::size_t i = 0; i < 5; ++i) test::check_close(found.kept[i].at("m"), {end.m});
    }
  }
}

TEST_CASE("mime by all workers in rounds of one step is SGD with momentum", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const std::uint64_t steps : {1U, 2U, 40U}) {
    for (const double kept : {0.0, 0.5, 0.9}) {
      CAPTURE(steps, kept);
      Configuration c;
      c.scheme = "ring";
      c.workers = 5;
      c.steps = steps;
      c.optimizer.lr = test::federated_lr * (1.0 - kept);
      c.optimizer.momentum = kept;
      const test::Replicas ring = test::run_on_quadratic(c, data);
      test::check_close(test::run_on_quadratic(mime("mime", 1, 1.0, steps, kept), data).model,
                        ring.model);
    }
  }
}

TEST_CASE("mime-lite without momentum is fedavg", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const double participation : {0.6, 1.0}) {
    test::check_close(
        test::run_on_quadratic(mime("mime-lite", 5, participation, 20, 0.0), data).model,
        test::run_on_quadratic(test::federated("fedavg", 5, participation, 20), data).model);
  }
}

TEST_CASE("mime ends at the optimum, whatever a round's length, and mime-lite does not",
          "[scheme]") {
  for (const double period : {1.0, 5.0, 20.0}) {
    CAPTURE(period);
    const test::Replicas found =
        test::run_on_quadratic(mime("mime", period, 1.0, 2000), test::federated_data());
    CHECK(found.model[0] == Approx(test::federated_optimum()).margin(1e-12));
    CHECK(found.kept[0].at("m")[0] == Approx(0.0).margin(1e-12));
  }
  const test::Replicas lite =
      test::run_on_quadratic(mime("mime-lite", 20, 1.0, 2000), test::federated_data());
  CHECK(std::abs(lite.model[0] - test::federated_optimum()) > 1e-2);
}

// Two workers with three unlike rows each, one a minibatch.
TEST_CASE("mime converges whatever the noise of a minibatch, where fedavg does not", "[scheme]") {
  const std::vector<std::vector<double>> h{{1.0}, {0.5}, {2.0}, {0.25}, {1.5}, {1.0}},
      a{{4.0}, {-2.0}, {1.0}, {-8.0}, {0.5}, {3.0}};
  const Dataset data = test::quadratic_data(h, a);
  const auto distance = [&](Configuration c) {
    c.workers = 2;
    c.batch = 1;
    const double best = test::optimum(data)[0];
    return std::abs(
        test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3, 4, 5}}}).model[0] - best);
  };
  CHECK(distance(mime("mime", 5, 1.0, 3000)) < 1e-11);
  CHECK(distance(test::federated("fedavg", 5, 1.0, 3000)) > 1e-3);
}

// Worker 0 has three equal rows, worker 1 one.
TEST_CASE("mime weighed by rows ends at the optimum over rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = mime("mime", 5, 1.0, 1000);
  c.workers = 2;
  const auto model = [&] {
    return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
  };
  CHECK(model() == Approx((3 * 4.0 - 4.0) / 3.5).epsilon(1e-12));
  c.weights = ShareWeights::workers;
  CHECK(model() == Approx((4.0 - 4.0) / 1.5).margin(1e-12));
}

// A share has 25 minibatches; three rounds of ten steps, by two of four workers.
TEST_CASE("mime takes a pass a round and two gradients a step, and sends two vectors", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto run = [&](const char* scheme) {
    Configuration c = test::quick(scheme, 4, 30);
    c.hyperparameters = {{"period", 10.0}, {"participation", 0.5}};
    return test::train(c, data).summary;
  };
  const auto fedavg = run("fedavg"), full = run("mime"), lite = run("mime-lite");
  CHECK(full.samples == fedavg.samples);
  CHECK(lite.samples == fedavg.samples);
  CHECK(full.bytes_sent == 2U * fedavg.bytes_sent);
  CHECK(lite.bytes_sent == 2U * fedavg.bytes_sent);
  CHECK(full.seconds - fedavg.seconds == Approx((30 + 3 * 25) * 1e-3).epsilon(1e-9));
  CHECK(lite.seconds - fedavg.seconds == Approx(3 * 25 * 1e-3).epsilon(1e-9));
}
