#include <cmath>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"

using namespace trainyard;

TEST_CASE("quasi-global momentum follows its rule, and tolerates a step of zero",
          "[scheme][rule:qgm]") {
  // x' = x - γ(β m + g), x_new = W x', m ← μ m + (1 - μ)(x - x_new)/γ, written out for one number.
  const int n = 4;
  const double gamma = 0.1;
  const std::vector<double> h{1.0, 2.0, 0.5, 1.5}, b{3.0, -1.0, 2.0, 0.0};
  const Dataset data =
      test::quadratic_data({{1.0}, {2.0}, {0.5}, {1.5}}, {{3.0}, {-1.0}, {2.0}, {0.0}});
  for (const auto& [beta, mu] :
       {std::pair{0.8, 0.8}, std::pair{0.8, 0.3}, std::pair{0.4, 0.95}, std::pair{0.9, 0.0}}) {
    CAPTURE(beta, mu);
    std::vector<double> x(n, 0.0), m(n, 0.0);
    for (int t = 0; t < 6; ++t) {
      std::vector<double> half(n);
      for (std::size_t i = 0; i < n; ++i) {
        half[i] = x[i] - gamma * (beta * m[i] + h[i] * (x[i] - b[i]));
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double mixed = (half[i] + half[(i + 1) % n] + half[(i + n - 1) % n]) / 3;
        m[i] = mu * m[i] + (1 - mu) * (x[i] - mixed) / gamma;
        x[i] = mixed;
      }
    }
    Configuration c;
    c.scheme = "qgm";
    c.workers = n;
    c.optimizer.lr = gamma;
    c.steps = 6;
    c.ingredients["topology"] = "ring";
    c.hyperparameters["quasi-momentum"] = beta;
    c.hyperparameters["quasi-memory"] = mu;
    const auto found = test::run_on_quadratic(c, data).workers;
    for (std::size_t i = 0; i < n; ++i) CHECK(found[i][0] == Approx(x[i]).epsilon(1e-12));
    c.optimizer.warmup = 3.0;
    CHECK(std::isfinite(test::run_on_quadratic(c, data).workers[0][0]));
  }
  // Both are 0.9 where nobody says otherwise, as in the paper's experiments.
  const Hyperparameters fallbacks = with_fallbacks(find_scheme("qgm"), {}, n);
  CHECK(hyperparameter(fallbacks, "quasi-momentum") == 0.9);
  CHECK(hyperparameter(fallbacks, "quasi-memory") == 0.9);
}
