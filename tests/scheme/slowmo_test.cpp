// SlowMo against its rule written out, with a step size that falls, and against diloco.
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

Configuration configuration(const char* scheme, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 4;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters["period"] = 3;
  return c;
}

}  // namespace

TEST_CASE("slowmo pushes averages on along where they have been moving", "[scheme][rule:slowmo]") {
  const Dataset data = test::unlike_data(4);
  constexpr double alpha = 0.9, beta = 0.6, decay = 0.05;
  // γ of a step: γ₀ / (1 + A · epochs before it), an epoch being a step of all workers.
  const auto gamma_of = [&](int done) { return 0.1 / (1.0 + decay * (done - 1)); };
  const std::size_t size = data.features / 2;
  Doubles outer(size, 0.0), u(size, 0.0);
  std::vector<Doubles> x(4, outer);
  for (int done = 1; done <= 17; ++done) {
    const double gamma = gamma_of(done);
    for (std::size_t j = 0; j < size; ++j) {
      double mean = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        const double curvature = static_cast<double>(data.dense_row(i)[j]);
        const double b = static_cast<double>(data.dense_row(i)[size + j]);
        x[i][j] -= gamma * curvature * (x[i][j] - b);
        mean += x[i][j] / 4.0;
      }
      if (done % 3 != 0) continue;
      u[j] = beta * u[j] + (outer[j] - mean) / gamma;
      outer[j] -= alpha * gamma * u[j];
      for (std::size_t i = 0; i < 4; ++i) x[i][j] = outer[j];
    }
    CAPTURE(done);
    Configuration c = configuration("slowmo", static_cast<std::uint64_t>(done));
    c.optimizer.lr_decay = decay;
    c.hyperparameters["slow-lr"] = alpha;
    c.hyperparameters["slow-momentum"] = beta;
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (std::size_t i = 0; i < 4; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("slowmo with one step size is diloco with heavy ball, and without momentum local-sgd",
          "[scheme]") {
  const Dataset data = test::unlike_data(4);
  Configuration c = configuration("slowmo", 20);
  c.hyperparameters["slow-lr"] = 0.8;
  c.hyperparameters["slow-momentum"] = 0.7;
  Configuration same = configuration("diloco", 20);
  same.hyperparameters["outer-lr"] = 0.8;
  same.hyperparameters["outer-momentum"] = 0.7;
  same.hyperparameters["outer-optimizer"] = 1;
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(same, data).model);
  c.hyperparameters["slow-lr"] = 1.0;
  c.hyperparameters["slow-momentum"] = 0.0;
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(configuration("local-sgd", 20), data).model);
}
