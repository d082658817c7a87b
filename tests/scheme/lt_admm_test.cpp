// LT-ADMM against its paper's lines, with a z for each end of a link, against EXTRA, and where it
// comes to rest.
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.2;

Configuration configuration(const char* scheme, int workers, std::uint64_t steps, double period,
                            double share = 0.5) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  c.hyperparameters = {{"period", period}, {"mixing-share", share}};
  return c;
}

/// Algorithm 1 with α = ½, β = 2s/τ and ρ = w_ij; z_ij = ρ x_j at first.
Rows lt_admm_of_the_paper(const Dataset& data, const Rows& w, int period, double share,
                          std::uint64_t steps) {
  const std::size_t n = data.rows, d = data.features / 2;
  const double beta = 2.0 * share / period;
  Rows x = test::all_zero(n, d), phi = x;
  std::vector<Rows> z(n, test::all_zero(n, d));
  for (std::uint64_t t = 1; t <= steps; ++t) {
    const Rows gradients = test::gradients_of(data, phi);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        phi[i][k] -= step_size * gradients[i][k];
        for (std::size_t j = 0; j < n; ++j) {
          if (j != i) phi[i][k] -= beta * (w[i][j] * x[i][k] - z[i][j][k]);
        }
      }
    }
    if (t % static_cast<std::uint64_t>(period) != 0) continue;
    x = phi;
    const std::vector<Rows> before = z;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < d; ++k) {
          z[i][j][k] = 0.5 * before[i][j][k] - 0.5 * (before[j][i][k] - 2.0 * w[i][j] * x[j][k]);
        }
      }
    }
  }
  return phi;
}

}  // namespace

TEST_CASE("lt-admm follows its paper, whose z are of the ends of links", "[scheme][rule:lt-admm]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path", "full"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const auto& [period, share] : {std::pair{1, 0.5}, std::pair{3, 0.5}, std::pair{4, 0.7}}) {
      for (const std::uint64_t steps : {1U, 3U, 5U, 9U, 60U}) {
        CAPTURE(topology, period, share, steps);
        Configuration c = configuration("lt-admm", n, steps, period, share);
        c.ingredients["topology"] = topology;
        test::check_rows(test::run_on_quadratic(c, data).workers,
                         lt_admm_of_the_paper(data, w, period, share, steps));
      }
    }
  }
}

TEST_CASE("lt-admm with a round after every step is extra, where all begin alike", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const std::uint64_t steps : {1U, 2U, 3U, 50U}) {
    CAPTURE(steps);
    test::check_rows(test::run_on_quadratic(configuration("lt-admm", 5, steps, 1.0), data).workers,
                     test::run_on_quadratic(configuration("extra", 5, steps, 1.0), data).workers);
  }
}

TEST_CASE("lt-admm comes to rest at the optimum with many local steps", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star"}) {
    for (const double period : {2.0, 5.0}) {
      CAPTURE(topology, period);
      Configuration c = configuration("lt-admm", n, 6000, period);
      c.ingredients["topology"] = topology;
      const test::Replicas found = test::run_on_quadratic(c, data);
      CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-11);
      double sum = 0.0;
      for (const auto& kept : found.kept) sum += kept.at("correction")[0];
      CHECK(sum == Approx(0.0).margin(1e-12));
    }
  }
}

TEST_CASE("lt-admm stays bounded while s (1 - λ) is below 4/3", "[scheme]") {
  const Scheme& scheme = find_scheme("lt-admm");
  CHECK(scheme.graphs.least_eigenvalue({{"period", 1.0}, {"mixing-share", 1.0}}) ==
        Approx(-1.0 / 3.0));
  // A ring of 6 has λ = -1/3, where s = 1 stands exactly.
  const Dataset flat = test::quadratic_data(Rows(6, {0.0}), Rows(6, {0.0}));
  const test::Special special{.starts = {{1.0}, {-1.0}, {1.0}, {-1.0}, {1.0}, {-1.0}}};
  const auto size_after = [&](double share) {
    const Configuration c = configuration("lt-admm", 6, 1200, 1.0, share);
    return test::farthest(test::run_on_quadratic(c, flat, {}, special).workers, {0.0});
  };
  CHECK(size_after(0.97) < 1e-3);
  CHECK(size_after(1.0) > 0.1);
}
