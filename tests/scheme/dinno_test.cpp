// DiNNO against its paper's lines, against ADMM whose minima are written down, and where it comes
// to rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.1;

Configuration configuration(int workers, std::uint64_t steps, double period, double penalty) {
  Configuration c;
  c.scheme = "dinno";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  c.hyperparameters = {{"period", period}, {"consensus-penalty", penalty}};
  return c;
}

std::vector<std::vector<std::size_t>> neighbours_in(const Rows& w) {
  std::vector<std::vector<std::size_t>> neighbours(w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (i != j && w[i][j] != 0.0) neighbours[i].push_back(j);
    }
  }
  return neighbours;
}

/// Algorithm 1: rounds of messages, prices, and B steps of SGD.
Rows dinno_of_the_paper(const Dataset& data, const Rows& w, int period, double rho,
                        std::uint64_t steps) {
  const auto neighbours = neighbours_in(w);
  Rows x = test::all_zero(data.rows, data.features / 2), theta = x, p = x;
  for (std::uint64_t t = 0; t < steps; ++t) {
    if (t % static_cast<std::uint64_t>(period) == 0) {
      x = theta;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (const std::size_t j : neighbours[i]) {
          for (std::size_t k = 0; k < x[i].size(); ++k) p[i][k] += rho * (x[i][k] - x[j][k]);
        }
      }
    }
    Rows along = test::combined({{1.0, test::gradients_of(data, theta)}, {1.0, p}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const std::size_t j : neighbours[i]) {
        for (std::size_t k = 0; k < x[i].size(); ++k) {
          along[i][k] += 2.0 * rho * (theta[i][k] - 0.5 * (x[i][k] + x[j][k]));
        }
      }
    }
    theta = test::combined({{1.0, theta}, {-step_size, along}});
  }
  return theta;
}

/// The same with minima: (h + 2ρd) x = h b − p + ρ Σ (x_i + x_j).
Rows admm_of_quadratics(const Dataset& data, const Rows& w, double rho, int rounds) {
  const auto neighbours = neighbours_in(w);
  const std::size_t d = data.features / 2;
  Rows x = test::all_zero(data.rows, d), p = x;
  for (int round = 0; round < rounds; ++round) {
    const Rows old = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto degree = static_cast<double>(neighbours[i].size());
      for (std::size_t k = 0; k < d; ++k) {
        const double h = static_cast<double>(data.dense_row(i)[k]);
        double sum = 0.0;
        for (const std::size_t j : neighbours[i]) {
          p[i][k] += rho * (old[i][k] - old[j][k]);
          sum += rho * (old[i][k] + old[j][k]);
        }
        const double b = static_cast<double>(data.dense_row(i)[d + k]);
        x[i][k] = (h * b - p[i][k] + sum) / (h + 2.0 * rho * degree);
      }
    }
  }
  return x;
}

}  // namespace

TEST_CASE("dinno follows its paper: prices, and some steps on what they make of the objective",
          "[scheme][rule:dinno]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "full"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const int period : {1, 3}) {
      for (const double rho : {0.2, 0.7}) {
        for (const std::uint64_t steps : {1U, 3U, 4U, 30U}) {
          CAPTURE(topology, period, rho, steps);
          Configuration c = configuration(n, steps, period, rho);
          c.ingredients["topology"] = topology;
          test::check_rows(test::run_on_quadratic(c, data).workers,
                           dinno_of_the_paper(data, w, period, rho, steps));
        }
      }
    }
  }
}

TEST_CASE("dinno with many steps in a round is ADMM", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const int rounds : {1, 2, 6}) {
      CAPTURE(topology, rounds);
      Configuration c = configuration(n, 400U * static_cast<unsigned>(rounds), 400.0, 0.5);
      c.ingredients["topology"] = topology;
      test::check_rows(test::run_on_quadratic(c, data).workers,
                       admm_of_quadratics(data, w, 0.5, rounds));
    }
  }
}

TEST_CASE("dinno comes to rest at the optimum", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star"}) {
    for (const double period : {1.0, 4.0}) {
      CAPTURE(topology, period);
      Configuration c = configuration(n, 8000, period, 0.5);
      c.ingredients["topology"] = topology;
      const test::Replicas found = test::run_on_quadratic(c, data);
      CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-10);
      const Rows gradients = test::gradients_of(data, found.workers);
      for (std::size_t i = 0; i < found.kept.size(); ++i) {
        CHECK(found.kept[i].at("dual variable")[0] == Approx(gradients[i][0]).margin(1e-9));
      }
    }
  }
}
