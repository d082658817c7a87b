// ADMM against its paper's lines, with a z for each end of a link and minima that are written down,
// against DLM, and where it comes to rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.3;

struct Setting {
  int period = 1;
  double penalty = 0.5, relaxation = 0.5;
};

Configuration configuration(int workers, std::uint64_t steps, const Setting& s,
                            const char* topology = "ring") {
  Configuration c;
  c.scheme = "admm";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = topology;
  c.hyperparameters = {{"period", static_cast<double>(s.period)},
                       {"consensus-penalty", s.penalty},
                       {"relaxation", s.relaxation}};
  return c;
}

/// All begin at (2, −1): z = ρ x⁰ is then no zero.
const std::vector<double> start{2.0, -1.0};

test::Special from_the_start(int workers) {
  return {.starts = Rows(static_cast<std::size_t>(workers), start)};
}

/// Relaxed ADMM, link by link; x is minimised in closed form where `exact`, else by steps.
Rows admm_of_the_paper(const Dataset& data, const Rows& w, const Setting& s, std::uint64_t steps,
                       bool exact) {
  const std::size_t n = data.rows, d = data.features / 2;
  const double rho = 2.0 * s.penalty;
  const auto linked = [&](std::size_t i, std::size_t j) { return i != j && w[i][j] != 0.0; };
  Rows x(n, start);
  std::vector<Rows> z(n, Rows(n, std::vector<double>(d, 0.0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < d; ++k) z[i][j][k] = linked(i, j) ? rho * start[k] : 0.0;
    }
  }
  for (std::uint64_t t = 1; t <= steps; ++t) {
    const Rows gradients = test::gradients_of(data, x);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        double sum = 0.0, degree = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          sum += z[i][j][k];
          degree += linked(i, j) ? 1.0 : 0.0;
        }
        const double h = static_cast<double>(data.dense_row(i)[k]);
        const double b = static_cast<double>(data.dense_row(i)[d + k]);
        x[i][k] = exact ? (h * b + sum) / (h + rho * degree)
                        : (x[i][k] - step_size * (gradients[i][k] - sum)) /
                              (1.0 + step_size * rho * degree);
      }
    }
    if (!exact && t % static_cast<std::uint64_t>(s.period) != 0) continue;
    const std::vector<Rows> before = z;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; linked(i, j) && k < d; ++k) {
          z[i][j][k] = (1.0 - s.relaxation) * before[i][j][k] -
                       s.relaxation * (before[j][i][k] - 2.0 * rho * x[j][k]);
        }
      }
    }
  }
  return x;
}

}  // namespace

TEST_CASE("admm follows its paper, whose z are of the ends of links", "[scheme][rule:admm]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "full"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const Setting& s :
         {Setting{1, 0.5, 0.5}, Setting{3, 0.2, 0.3}, Setting{3, 0.7, 0.9}, Setting{1, 0.1, 0.7}}) {
      for (const std::uint64_t steps : {1U, 3U, 4U, 30U}) {
        CAPTURE(topology, s.period, s.penalty, s.relaxation, steps);
        test::check_rows(test::run_on_quadratic(configuration(n, steps, s, topology), data, {},
                                                from_the_start(n))
                             .workers,
                         admm_of_the_paper(data, w, s, steps, false));
      }
    }
  }
}

TEST_CASE("admm with many steps in a round minimises, as quadratics' closed form does",
          "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const double relaxation : {0.5, 0.9}) {
      for (const unsigned rounds : {1U, 2U, 6U}) {
        CAPTURE(topology, relaxation, rounds);
        const Setting s{200, 0.5, relaxation};
        test::check_rows(test::run_on_quadratic(configuration(n, 200U * rounds, s, topology), data,
                                                {}, from_the_start(n))
                             .workers,
                         admm_of_the_paper(data, w, s, rounds, true));
      }
    }
  }
}

TEST_CASE("admm with one step in a round and no relaxation is dlm", "[scheme]") {
  const Dataset data = test::unlike_data(6);
  for (const char* topology : {"ring", "star"}) {
    for (const std::uint64_t steps : {1U, 2U, 5U, 50U}) {
      CAPTURE(topology, steps);
      Configuration c = configuration(6, steps, {1, 0.4, 0.5}, topology);
      const Rows found = test::run_on_quadratic(c, data, {}, from_the_start(6)).workers;
      c.scheme = "dlm";
      test::check_rows(found, test::run_on_quadratic(c, data, {}, from_the_start(6)).workers);
    }
  }
}

TEST_CASE("admm comes to rest at the optimum, with a larger relaxation in fewer rounds",
          "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  const auto distance = [&](const char* topology, const Setting& s, unsigned rounds) {
    const Configuration c = configuration(n, rounds * static_cast<unsigned>(s.period), s, topology);
    const test::Replicas found = test::run_on_quadratic(c, data);
    double sum = 0.0;
    for (const auto& kept : found.kept) sum += kept.at("dual variable")[0];
    CHECK(sum == Approx(0.0).margin(1e-12));
    return test::farthest(found.workers, test::optimum(data));
  };
  for (const char* topology : {"ring", "star"}) {
    for (const int period : {1, 4, 20}) {
      for (const double relaxation : {0.3, 0.5, 0.9}) {
        CAPTURE(topology, period, relaxation);
        CHECK(distance(topology, {period, 0.5, relaxation}, 1000) < 1e-11);
      }
      // Of a penalty that is too small for the curvatures: the optimum comes slowly.
      CHECK(distance(topology, {period, 0.1, 0.9}, 60) <
            0.5 * distance(topology, {period, 0.1, 0.5}, 60));
    }
  }
}
