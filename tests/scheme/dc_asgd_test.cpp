// Delay-compensated asynchronous SGD against its published rule, written out densely.
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> curvatures{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> minima{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};

/// Equal workers push in turn; update t is worker t mod 3's, at what it pulled three updates ago.
/// The mean square takes the gradient in before it is used, as in the authors' updater.
Doubles by_the_rule(double lr, double lambda0, double keep, int updates) {
  Doubles x(3, 0.0), mean_square(3, 0.0);
  std::vector<Doubles> pulled(3, x);
  for (int t = 0; t < updates; ++t) {
    const auto worker = static_cast<std::size_t>(t % 3);
    for (std::size_t j = 0; j < 3; ++j) {
      const double g = curvatures[worker][j] * (pulled[worker][j] - minima[worker][j]);
      mean_square[j] = keep * mean_square[j] + (1.0 - keep) * g * g;
      const double lambda = lambda0 / std::sqrt(mean_square[j] + 1e-7);
      x[j] -= lr * (g + lambda * g * g * (x[j] - pulled[worker][j]));
    }
    pulled[worker] = x;
  }
  return x;
}

}  // namespace

TEST_CASE("dc-asgd-a follows its rule, its running mean square included",
          "[scheme][rule:dc-asgd-a]") {
  const Dataset data = test::quadratic_data(curvatures, minima);
  for (const double lambda0 : {0.5, 2.0}) {
    for (const double keep : {0.0, 0.5, 0.95}) {
      for (const int updates : {1, 2, 5, 60}) {
        CAPTURE(lambda0, keep, updates);
        Configuration c;
        c.scheme = "dc-asgd-a";
        c.workers = 3;
        c.optimizer.lr = 0.05;
        c.hyperparameters = {{"lambda0", lambda0}, {"mean-square", keep}};
        const auto minibatches = static_cast<std::uint64_t>(updates);
        test::check_close(test::run_on_quadratic(c, data, minibatches).model,
                          by_the_rule(0.05, lambda0, keep, updates));
        c.servers = 2;  // a state for each shard
        test::check_close(test::run_on_quadratic(c, data, minibatches).model,
                          by_the_rule(0.05, lambda0, keep, updates));
      }
    }
  }
  // What is left out are the published values: λ0 = 2, m = 0.95.
  Configuration c;
  c.scheme = "dc-asgd-a";
  c.workers = 3;
  c.optimizer.lr = 0.05;
  test::check_close(test::run_on_quadratic(c, data, 60).model, by_the_rule(0.05, 2.0, 0.95, 60));
}
