// DiLoCo against its rule written out, and against what it is for certain values.
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};

Configuration configuration(const char* scheme, std::uint64_t steps, double period) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 3;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters["period"] = period;
  return c;
}

void set_outer(Configuration& c, double step_size, double momentum, double optimizer) {
  c.hyperparameters["outer-lr"] = step_size;
  c.hyperparameters["outer-momentum"] = momentum;
  c.hyperparameters["outer-optimizer"] = optimizer;
}

constexpr double nesterov = 0, heavy_ball = 1;

}  // namespace

TEST_CASE("diloco steps along the mean way of its workers, with momentum",
          "[scheme][rule:diloco]") {
  const Dataset data = test::quadratic_data(h, b);
  constexpr double eta = 0.6, mu = 0.8;
  for (const double optimizer : {nesterov, heavy_ball}) {
    Doubles outer(3, 0.0), velocity(3, 0.0);
    std::vector<Doubles> x(3, outer);
    for (int done = 1; done <= 22; ++done) {
      for (std::size_t j = 0; j < 3; ++j) {
        double mean = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          x[i][j] -= 0.1 * h[i][j] * (x[i][j] - b[i][j]);
          mean += x[i][j] / 3.0;
        }
        if (done % 5 != 0) continue;
        const double way = outer[j] - mean;
        velocity[j] = mu * velocity[j] + way;
        outer[j] -= eta * (optimizer == nesterov ? way + mu * velocity[j] : velocity[j]);
        for (std::size_t i = 0; i < 3; ++i) x[i][j] = outer[j];
      }
      CAPTURE(done, optimizer);
      Configuration c = configuration("diloco", static_cast<std::uint64_t>(done), 5);
      set_outer(c, eta, mu, optimizer);
      const test::Replicas found = test::run_on_quadratic(c, data);
      for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
    }
  }
}

TEST_CASE("diloco without momentum that goes all the way is local-sgd, and ring", "[scheme]") {
  const Dataset data = test::quadratic_data(h, b);
  for (const auto& [other, period] : {std::pair("local-sgd", 4.0), std::pair("ring", 1.0)}) {
    CAPTURE(other);
    Configuration c = configuration("diloco", 21, period);
    set_outer(c, 1.0, 0.0, nesterov);
    Configuration same = configuration(other, 21, period);
    if (std::string(other) == "ring") same.hyperparameters.clear();
    const test::Replicas found = test::run_on_quadratic(c, data);
    const test::Replicas expected = test::run_on_quadratic(same, data);
    for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], expected.workers[i]);
  }
}

/// In local-sgd, too, Adam's state stays with its worker.
TEST_CASE("the inner optimizer's state stays with its worker", "[scheme]") {
  const Dataset data = test::quadratic_data(h, b);
  Configuration c = configuration("diloco", 19, 4);
  set_outer(c, 1.0, 0.0, nesterov);
  c.optimizer.kind = OptimizerKind::adamw;
  Configuration same = configuration("local-sgd", 19, 4);
  same.optimizer = c.optimizer;
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(same, data).model);
}

/// Zhang, Lucas, Hinton & Ba, NeurIPS 2019: φ ← φ + α (θ − φ) every k steps, θ ← φ.
TEST_CASE("diloco of one worker is Lookahead", "[scheme]") {
  const Dataset data = test::quadratic_data({h[0]}, {b[0]});
  Doubles slow(3, 0.0), fast(3, 0.0);
  for (int done = 1; done <= 18; ++done) {
    for (std::size_t j = 0; j < 3; ++j) {
      fast[j] -= 0.1 * h[0][j] * (fast[j] - b[0][j]);
      if (done % 6 == 0) fast[j] = slow[j] += 0.5 * (fast[j] - slow[j]);
    }
  }
  Configuration c = configuration("diloco", 18, 6);
  c.workers = 1;
  set_outer(c, 0.5, 0.0, nesterov);
  test::check_close(test::run_on_quadratic(c, data).workers[0], fast);
}
