// Post-local SGD against its rule written out, and against the two schemes it is made of.
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};

Configuration configuration(const char* scheme, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 3;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters["period"] = 4;
  return c;
}

}  // namespace

TEST_CASE("post-local-sgd averages after every step until the switch, then every τ",
          "[scheme][rule:post-local-sgd]") {
  const Dataset data = test::quadratic_data(h, b);
  const int switch_epoch = 6;  // a step is an epoch, as there are as many rows as workers
  std::vector<Doubles> x(3, Doubles(3, 0.0));
  for (int done = 1; done <= 21; ++done) {
    for (std::size_t j = 0; j < 3; ++j) {
      double mean = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        x[i][j] -= 0.1 * h[i][j] * (x[i][j] - b[i][j]);
        mean += x[i][j] / 3.0;
      }
      if (done > switch_epoch && (done - switch_epoch) % 4 != 0) continue;
      for (std::size_t i = 0; i < 3; ++i) x[i][j] = mean;
    }
    CAPTURE(done);
    Configuration c = configuration("post-local-sgd", static_cast<std::uint64_t>(done));
    c.hyperparameters["switch-epoch"] = switch_epoch;
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("post-local-sgd is local SGD from the start, or synchronous to the end", "[scheme]") {
  const Dataset data = test::quadratic_data(h, b);
  for (const double momentum : {0.0, 0.8}) {
    CAPTURE(momentum);
    Configuration c = configuration("post-local-sgd", 30);
    c.optimizer.momentum = momentum;
    Configuration other = configuration("local-sgd", 30);
    other.optimizer.momentum = momentum;
    c.hyperparameters["switch-epoch"] = 0;
    test::check_close(test::run_on_quadratic(c, data).model,
                      test::run_on_quadratic(other, data).model);
    c.hyperparameters["switch-epoch"] = 1000;
    other.scheme = "ring";
    test::check_close(test::run_on_quadratic(c, data).model,
                      test::run_on_quadratic(other, data).model);
  }
}
