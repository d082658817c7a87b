// Fed-LT: against its rule written out, by all and by some of the workers; where it rests, with a
// penalty too; and what it is where the steps of a round minimise.
#include <algorithm>
#include <array>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double rho = 1.5;

Configuration fed_lt(double period, double participation, std::uint64_t rounds,
                     double proximal_step = rho) {
  Configuration c = test::federated("fed-lt", period, participation, rounds);
  c.hyperparameters["proximal-step"] = proximal_step;
  return c;
}

struct State {
  double x = 0.0;  // y
  std::array<double, 5> w{}, z{};
};

double shrunk(double x, double threshold) {
  return x - std::clamp(x, -threshold, threshold);
}

State after_round(const State& before, const std::vector<std::size_t>& drawn, double l1 = 0.0) {
  State after = before;
  for (const std::size_t i : drawn) {
    double& w = after.w[i];
    for (int step = 0; step < steps_of_round; ++step) {
      const double pull = (w - (2.0 * before.x - before.z[i])) / rho;
      w -= test::federated_lr * (test::federated_gradient(i, w) + pull);
    }
    after.z[i] += 2.0 * (w - before.x);
  }
  double mean = 0.0;
  for (const double z : after.z) mean += z / 5.0;
  after.x = shrunk(mean, rho * l1);
  return after;
}

}  // namespace

TEST_CASE("fed-lt reflects its workers by local steps, and z_i stays with who sits out",
          "[scheme][rule:fed-lt]") {
  for (const int many : {1, 2, 3, 5}) {
    for (const int servers : {1, 2}) {
      Configuration c = fed_lt(steps_of_round, many / 5.0, 1);
      c.servers = servers;
      const State end = test::follow_rounds(
          c, 20, many, State{}, [](const State& before, const std::vector<std::size_t>& drawn) {
            return after_round(before, drawn);
          });
      c.steps = 20 * steps_of_round;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      for (std::size_t i = 0; i < 5; ++i) {
        test::check_close(found.kept[i].at("z_i"), {end.z[i]});
        test::check_close(found.kept[i].at("w_i"), {end.w[i]});
      }
    }
  }
}

TEST_CASE("fed-lt shrinks the server's model alone", "[scheme]") {
  const std::vector<std::size_t> all{0, 1, 2, 3, 4};
  int at_zero = 0;
  for (const double l1 : {0.003, 0.25}) {
    Configuration c = fed_lt(steps_of_round, 1.0, 1);
    c.l1 = l1;
    State state;
    for (std::uint64_t round = 1; round <= 30; ++round) {
      CAPTURE(l1, round);
      state = after_round(state, all, l1);
      c.steps = round * steps_of_round;
      const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
      test::check_close(found.model, {state.x});
      at_zero += found.model[0] == 0.0 ? 1 : 0;
      for (std::size_t i = 0; i < 5; ++i) test::check_close(found.kept[i].at("z_i"), {state.z[i]});
    }
  }
  CHECK(at_zero >= 20);
  CHECK(at_zero <= 40);
}

TEST_CASE("fed-lt ends at the optimum, whoever takes part and however many steps a round has",
          "[scheme]") {
  for (const double proximal_step : {0.5, 2.0}) {
    for (const double period : {1.0, 5.0, 20.0}) {
      for (const double participation : {1.0, 0.4}) {
        CAPTURE(proximal_step, period, participation);
        const test::Replicas found = test::run_on_quadratic(
            fed_lt(period, participation, 3000, proximal_step), test::federated_data());
        const double best = test::federated_optimum();
        CHECK(found.model[0] == Approx(best).margin(1e-12));
        for (std::size_t i = 0; i < 5; ++i) {
          const double at_rest = best - proximal_step * test::federated_gradient(i, best);
          CHECK(found.kept[i].at("z_i")[0] == Approx(at_rest).margin(1e-11));
        }
      }
    }
  }
}

// Of (1/5) Σ f_i(x) + μ |x|: h̄ (x − x*) = −μ sgn x, or 0.
TEST_CASE("fed-lt with a penalty ends where the penalised objective is least", "[scheme]") {
  const auto model = [](double l1, double shift) {
    std::vector<std::vector<double>> h, a;
    for (std::size_t i = 0; i < 5; ++i) {
      h.push_back({test::federated_curvatures()[i]});
      a.push_back({test::federated_minima()[i] + shift});
    }
    Configuration c = fed_lt(5, 0.6, 3000);
    c.l1 = l1;
    return test::run_on_quadratic(c, test::quadratic_data(h, a)).model[0];
  };
  double curvature = 0.0;
  for (const double h : test::federated_curvatures()) curvature += h / 5.0;
  const double best = test::federated_optimum();
  CHECK(model(0.25, 1.0) == Approx(best + 1.0 - 0.25 / curvature).epsilon(1e-6));
  CHECK(model(0.25, -2.0) == Approx(best - 2.0 + 0.25 / curvature).epsilon(1e-6));
  CHECK(model(0.25, 0.0) == 0.0);
}

// Peaceman–Rachford, each z_i going through (1 − ρh)/(1 + ρh) of its way about a.
TEST_CASE("fed-lt of one worker whose rounds minimise is a reflected resolvent", "[scheme]") {
  constexpr double h = 2.0, a = 3.0;
  for (const double proximal_step : {0.25, 1.0}) {
    for (const std::uint64_t rounds : {1U, 2U, 5U}) {
      Configuration c = fed_lt(400, 1.0, rounds, proximal_step);
      c.workers = 1;
      const test::Replicas found = test::run_on_quadratic(c, test::quadratic_data({{h}}, {{a}}));
      const double factor = (1.0 - proximal_step * h) / (1.0 + proximal_step * h);
      const double z = a - a * std::pow(factor, static_cast<double>(rounds));
      CHECK(found.model[0] == Approx(z).epsilon(1e-12));
    }
  }
}

// Worker 0 has three equal rows, worker 1 one.
TEST_CASE("fed-lt weighed by rows ends at the optimum over rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  for (const double participation : {1.0, 0.5}) {
    Configuration c = fed_lt(5, participation, 3000);
    c.workers = 2;
    const auto model = [&] {
      return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
    };
    CHECK(model() == Approx((3 * 4.0 - 4.0) / 3.5).epsilon(1e-12));
    c.weights = ShareWeights::workers;
    CHECK(model() == Approx((4.0 - 4.0) / 1.5).margin(1e-12));
  }
}

TEST_CASE("fed-lt sends what fedavg sends of dense data", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto bytes = [&](const char* scheme) {
    Configuration c = test::quick(scheme, 5, 60);
    c.hyperparameters = {{"period", 10.0}, {"participation", 0.4}};
    return test::train(c, data).summary.bytes_sent;
  };
  CHECK(bytes("fed-lt") == bytes("fedavg"));
}
