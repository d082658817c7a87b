// LT-ADMM against its paper's lines, with a z for each end of a link, against EXTRA, and where it
// comes to rest.
#include "trainyard/base/random.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gossip_rules.hpp"
#include "scheme/several_rows.hpp"
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

Configuration over_minibatches(const char* scheme, std::uint64_t steps, double period,
                               std::size_t batch) {
  Configuration c = configuration(scheme, test::sharers, steps, period);
  c.batch = batch;
  c.seed = 11;
  c.order = RowOrder::file;
  return c;
}

/// LT-ADMM-VR with α = ½, β = 2s/τ, s = ½ and ρ = w_ij. Of each minibatch it keeps the point r at
/// which its gradient was last taken, as the paper does: at first x, in every round.
Rows lt_admm_vr_of_the_paper(const Dataset& data, const Rows& w, std::size_t batch, int period,
                             std::uint64_t steps) {
  constexpr std::size_t n = test::sharers, rows = test::share_rows;
  const std::size_t count = (rows + batch - 1) / batch, d = data.features / 2;
  const auto rows_of = [&](std::size_t m) { return std::min(batch, rows - m * batch); };
  Rows x = test::all_zero(n, d), phi = x;
  std::vector<Rows> z(n, test::all_zero(n, d)), r(n, test::all_zero(count, d));
  std::vector<RandomStream> draws;
  for (std::uint32_t i = 0; i < n; ++i) draws.emplace_back(11U, Purpose::scheme, i + 1);
  for (std::uint64_t t = 0; t < steps; ++t) {
    const bool first = t % static_cast<std::uint64_t>(period) == 0;
    const Rows before = phi;
    for (std::size_t i = 0; i < n; ++i) {
      if (first) std::fill(r[i].begin(), r[i].end(), x[i]);
      // Whatever is drawn at first says nothing new.
      const std::size_t drawn = first ? 0 : static_cast<std::size_t>(draws[i].below(count));
      const auto step = [&](std::size_t m, const std::vector<double>& at, double factor) {
        const auto g = test::gradient_of_rows(data, i, at, m * batch, rows_of(m));
        for (std::size_t k = 0; k < d; ++k) phi[i][k] -= step_size * factor * g[k];
      };
      const double part = static_cast<double>(rows_of(drawn)) / rows;
      for (std::size_t m = 0; m < count; ++m) {
        step(m, r[i][m], static_cast<double>(rows_of(m)) / rows);
      }
      step(drawn, before[i], static_cast<double>(count) * part);
      step(drawn, r[i][drawn], -static_cast<double>(count) * part);
      r[i][drawn] = before[i];
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; j != i && k < d; ++k) {
          phi[i][k] -= (w[i][j] * x[i][k] - z[i][j][k]) / period;
        }
      }
    }
    if ((t + 1) % static_cast<std::uint64_t>(period) != 0) continue;
    x = phi;
    const std::vector<Rows> old = z;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < d; ++k) {
          z[i][j][k] = 0.5 * old[i][j][k] - 0.5 * (old[j][i][k] - 2.0 * w[i][j] * x[j][k]);
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

TEST_CASE("lt-admm-vr follows its paper, minibatch by minibatch", "[scheme][rule:lt-admm-vr]") {
  const Dataset data = test::many_rows();
  for (const char* topology : {"ring", "star"}) {
    const Rows w = test::matrix_of(topology, test::sharers);
    for (const std::size_t batch : {1U, 2U, 5U}) {
      for (const int period : {1, 3}) {
        for (const std::uint64_t steps : {1U, 2U, 3U, 4U, 40U}) {
          CAPTURE(topology, batch, period, steps);
          Configuration c = over_minibatches("lt-admm-vr", steps, period, batch);
          c.ingredients["topology"] = topology;
          test::check_rows(test::run_on_quadratic(c, data, {}, test::shares_of_many_rows()).workers,
                           lt_admm_vr_of_the_paper(data, w, batch, period, steps));
        }
      }
    }
  }
}

TEST_CASE("lt-admm-vr comes to rest at the optimum over rows, lt-admm near it", "[scheme]") {
  const Dataset data = test::many_rows();
  const auto distance = [&](const char* scheme, std::size_t batch) {
    return test::farthest(test::run_on_quadratic(over_minibatches(scheme, 6000, 3.0, batch), data,
                                                 {}, test::shares_of_many_rows())
                              .workers,
                          test::optimum(data));
  };
  for (const std::size_t batch : {1U, 2U}) {
    CAPTURE(batch);
    CHECK(distance("lt-admm-vr", batch) < 1e-10);
    CHECK(distance("lt-admm", batch) > 1e-2);
  }
  const auto found = [&](const char* scheme) {
    return test::run_on_quadratic(over_minibatches(scheme, 40, 3.0, test::share_rows), data, {},
                                  test::shares_of_many_rows())
        .workers;
  };
  test::check_rows(found("lt-admm-vr"), found("lt-admm"));  // without noise there is none to reduce
}
