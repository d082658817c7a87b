// FedPD: against its rule written out, with the coins that the run draws; where it rests; and what
// it is where the steps of a round minimise its Lagrangian.
#include <array>
#include <cmath>

#include "trainyard/base/random.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;

Configuration fedpd(double period, double eta, double skip, std::uint64_t rounds) {
  Configuration c = test::federated("fedpd", period, 1.0, rounds);
  c.hyperparameters = {{"period", period}, {"proximal-step", eta}, {"skip-probability", skip}};
  return c;
}

struct State {
  double model = 0.0;  // the server's
  std::array<double, 5> y{}, x{}, multiplier{};
};

void after_round(State& state, double eta, bool averages) {
  double mean = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    double& y = state.y[i];
    for (int step = 0; step < steps_of_round; ++step) {
      y -= test::federated_lr *
           (test::federated_gradient(i, y) + state.multiplier[i] + (y - state.x[i]) / eta);
    }
    state.multiplier[i] += (y - state.x[i]) / eta;
    state.x[i] = y + eta * state.multiplier[i];
    mean += state.x[i] / 5.0;
  }
  if (!averages) return;
  state.model = mean;
  state.x.fill(mean);
}

}  // namespace

TEST_CASE("fedpd steps on Lagrangians and averages their centres, when the coin says so",
          "[scheme][rule:fedpd]") {
  for (const double eta : {0.5, 2.0}) {
    for (const double skip : {0.0, 0.5}) {
      State state;
      RandomStream coin(fedpd(1, 1, 0, 1).seed, Purpose::scheme, ~std::uint32_t{0});
      int averages = 0;
      for (std::uint64_t round = 1; round <= 25; ++round) {
        CAPTURE(eta, skip, round);
        const bool now = coin.uniform() >= skip;
        averages += now ? 1 : 0;
        after_round(state, eta, now);
        Configuration c = fedpd(steps_of_round, eta, skip, round);
        c.servers = round % 2 == 0 ? 2 : 1;
        const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
        test::check_close(found.model, {state.model});
        for (std::size_t i = 0; i < 5; ++i) {
          test::check_close(found.workers[i], {state.y[i]});
          test::check_close(found.kept[i].at("x_0"), {state.x[i]});
          test::check_close(found.kept[i].at("lambda"), {state.multiplier[i]});
        }
      }
      CHECK((skip == 0.0 ? averages == 25 : averages > 5 && averages < 20));
    }
  }
}

TEST_CASE("fedpd that averages every round ends at the optimum, however many steps it has",
          "[scheme]") {
  for (const double eta : {0.5, 2.0}) {
    for (const double period : {1.0, 5.0, 20.0}) {
      CAPTURE(eta, period);
      const test::Replicas found =
          test::run_on_quadratic(fedpd(period, eta, 0.0, 2000), test::federated_data());
      const double best = test::federated_optimum();
      CHECK(found.model[0] == Approx(best).margin(1e-12));
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found.workers[i][0] == Approx(best).margin(1e-12));
        CHECK(found.kept[i].at("lambda")[0] ==
              Approx(-test::federated_gradient(i, best)).margin(1e-11));
      }
    }
  }
}

// A round without an average leaves x for x + ηλ.
TEST_CASE("fedpd that leaves out averages does not rest at the optimum of data that differ",
          "[scheme]") {
  const test::Replicas found =
      test::run_on_quadratic(fedpd(20, 1.0, 0.5, 1000), test::federated_data());
  CHECK(std::abs(found.model[0] - test::federated_optimum()) > 1e-3);
}

// In 1000 steps what a round began from is forgotten: what is left of it is 0.93^1000.
TEST_CASE("fedpd whose rounds minimise is feddyn with alpha one over eta", "[scheme]") {
  for (const double eta : {0.5, 1.25, 4.0}) {
    for (const std::uint64_t rounds : {1U, 2U, 3U, 10U}) {
      CAPTURE(eta, rounds);
      const test::Replicas found =
          test::run_on_quadratic(fedpd(1000, eta, 0.0, rounds), test::federated_data());
      Configuration c = test::federated("feddyn", 1000, 1.0, rounds);
      c.hyperparameters["dynamic-alpha"] = 1.0 / eta;
      const test::Replicas feddyn = test::run_on_quadratic(c, test::federated_data());
      CHECK(found.model[0] == Approx(feddyn.model[0]).epsilon(1e-12).margin(1e-14));
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found.kept[i].at("lambda")[0] ==
              Approx(-feddyn.kept[i].at("g_i")[0]).epsilon(1e-11).margin(1e-13));
      }
    }
  }
}

// y ← argmin f(y') + ‖y' − y‖² / 2η: on h (y − a)² / 2 the distance to a is divided by 1 + ηh.
TEST_CASE("fedpd of one worker whose rounds minimise is the proximal point method", "[scheme]") {
  constexpr double h = 2.0, a = 3.0, eta = 0.75;
  for (const double skip : {0.0, 0.5}) {
    for (const std::uint64_t rounds : {1U, 2U, 5U}) {
      Configuration c = fedpd(300, eta, skip, rounds);
      c.workers = 1;
      const test::Replicas found = test::run_on_quadratic(c, test::quadratic_data({{h}}, {{a}}));
      const double y = a - a * std::pow(1.0 + eta * h, -static_cast<double>(rounds));
      CHECK(found.workers[0][0] == Approx(y).epsilon(1e-12));
    }
  }
}

// Worker 0 has three equal rows, worker 1 one.
TEST_CASE("fedpd weighed by rows ends at the optimum over rows", "[scheme]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
  Configuration c = fedpd(5, 1.0, 0.0, 2000);
  c.workers = 2;
  const auto model = [&] {
    return test::run_on_quadratic(c, data, {}, {.parts = {{0, 1, 2}, {3}}}).model[0];
  };
  CHECK(model() == Approx((3 * 4.0 - 4.0) / 3.5).epsilon(1e-12));
  c.weights = ShareWeights::workers;
  CHECK(model() == Approx((4.0 - 4.0) / 1.5).margin(1e-12));
}

TEST_CASE("fedpd sends a model each way where it averages, and nothing elsewhere", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("fedpd", 5, 300);
  c.hyperparameters = {{"period", 10.0}, {"skip-probability", 0.5}};
  RandomStream coin(c.seed, Purpose::scheme, ~std::uint32_t{0});
  std::uint64_t averages = 0;
  for (int round = 0; round < 30; ++round) averages += coin.uniform() >= 0.5 ? 1U : 0U;
  CHECK(test::train(c, data).summary.bytes_sent == averages * 2U * 5U * 20U * sizeof(float));
}
