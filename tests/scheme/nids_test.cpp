// NIDS against the matrices of its paper, and against what unequal step sizes do to exact
// diffusion.
#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Rows = std::vector<std::vector<double>>;

/// x¹ = x⁰ − Λ∇s(x⁰), x^{k+1} = W̃ (2x^k − x^{k−1} + Λ(∇s(x^{k−1}) − ∇s(x^k))) from 0: NIDS without
/// a regulariser, in the matrices of the paper. W̃ = I − cΛ(I − W), or what is given instead.
Rows nids_of_the_paper(const Dataset& data, const Rows& w_tilde, const std::vector<double>& alpha,
                       std::uint64_t steps) {
  const std::size_t n = data.rows, d = data.features / 2;
  const auto gradient = [&](const Rows& x) {
    Rows g = x;
    for (std::size_t i = 0; i < n; ++i) {
      const float* row = data.dense.data() + i * data.features;
      for (std::size_t j = 0; j < d; ++j) {
        g[i][j] = static_cast<double>(row[j]) * (x[i][j] - static_cast<double>(row[d + j]));
      }
    }
    return g;
  };
  Rows before(n, std::vector<double>(d, 0.0));
  Rows x = before, y = before;
  Rows gradient_before = gradient(before);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) x[i][j] -= alpha[i] * gradient_before[i][j];
  }
  for (std::uint64_t k = 1; k < steps; ++k) {
    const Rows g = gradient(x);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        y[i][j] = 2 * x[i][j] - before[i][j] + alpha[i] * (gradient_before[i][j] - g[i][j]);
      }
    }
    before = x;
    gradient_before = g;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        x[i][j] = 0.0;
        for (std::size_t k2 = 0; k2 < n; ++k2) x[i][j] += w_tilde[i][k2] * y[k2][j];
      }
    }
  }
  return x;
}

/// I − s F (I − W).
Rows damped(const Rows& w, double s, const std::vector<double>& f) {
  Rows result = w;
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double identity = i == j ? 1.0 : 0.0;
      result[i][j] = identity - s * f[i] * (identity - w[i][j]);
    }
  }
  return result;
}

Configuration configuration(int workers, double lr, std::uint64_t steps) {
  Configuration c;
  c.scheme = "nids";
  c.workers = workers;
  c.optimizer.lr = lr;
  c.steps = steps;
  return c;
}

double farthest(const Rows& replicas, const std::vector<double>& from) {
  double distance = 0.0;
  for (const auto& replica : replicas) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      distance = std::max(distance, std::abs(replica[j] - from[j]));
    }
  }
  return distance;
}

}  // namespace

TEST_CASE("nids follows its paper, with a step size of each worker's own", "[scheme][rule:nids]") {
  const int n = 6;
  const double gamma = 0.2;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path"}) {
    const Rows w = dense(make_topology(topology, n, 1).matrices.front());
    for (const auto& [spread, share] :
         {std::pair{1.0, 0.5}, std::pair{8.0, 0.5}, std::pair{3.0, 0.7}}) {
      std::vector<double> f, alpha;
      for (int i = 0; i < n; ++i) f.push_back(std::pow(spread, -i / (n - 1.0)));
      for (const double each : f) alpha.push_back(gamma * each);
      const Rows w_tilde = damped(w, share, f);
      for (const std::uint64_t steps : {1U, 2U, 3U, 10U, 100U}) {
        CAPTURE(topology, spread, share, steps);
        const Rows expected = nids_of_the_paper(data, w_tilde, alpha, steps);
        Configuration c = configuration(n, gamma, steps);
        c.ingredients["topology"] = topology;
        c.hyperparameters["step-spread"] = spread;
        c.hyperparameters["mixing-share"] = share;
        const auto found = test::run_on_quadratic(c, data).workers;
        for (std::size_t i = 0; i < found.size(); ++i) test::check_close(found[i], expected[i]);
      }
    }
  }
}

TEST_CASE("with unequal step sizes nids is exact where exact diffusion is not", "[scheme]") {
  const int n = 5;
  const double gamma = 0.4, spread = 4.0;
  const Dataset data = test::unlike_data(n);
  const std::vector<double> best = test::optimum(data);
  Configuration c = configuration(n, gamma, 3000);
  c.ingredients["topology"] = "ring";
  c.hyperparameters["step-spread"] = spread;
  CHECK(farthest(test::run_on_quadratic(c, data).workers, best) < 1e-12);
  std::vector<double> f, alpha;
  for (int i = 0; i < n; ++i) f.push_back(std::pow(spread, -i / (n - 1.0)));
  for (const double each : f) alpha.push_back(gamma * each);
  const Rows w = dense(make_topology("ring", n, 1).matrices.front());
  // As it is written in the paper it adds up its roundings.
  CHECK(farthest(nids_of_the_paper(data, damped(w, 0.5, f), alpha, 3000), best) < 1e-10);
  const Rows lazy = damped(w, 0.5, std::vector<double>(n, 1.0));  // (I + W)/2
  CHECK(farthest(nids_of_the_paper(data, lazy, alpha, 3000), best) > 0.1);
}
