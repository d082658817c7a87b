// Local SVRG against its rule, row by row, in closed form, and where it comes to rest.
#include <cmath>

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr int workers = 4;
constexpr std::size_t share_rows = 3;
constexpr double step_size = 0.1;

/// Three rows a worker, none alike.
Dataset many_rows() {
  Rows h, b;
  for (std::size_t r = 0; r < workers * share_rows; ++r) {
    const auto x = static_cast<double>(r);
    h.push_back({0.5 + 0.125 * static_cast<double>(r % 4), 1.0 - 0.03125 * x});
    b.push_back({2.0 - 0.5 * x, 0.25 * x - static_cast<double>(r % 3)});
  }
  return test::quadratic_data(h, b);
}

test::Special shares_of_many_rows() {
  test::Special special;
  for (std::uint32_t i = 0; i < workers; ++i) {
    special.parts.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return special;
}

Configuration configuration(const char* scheme, std::uint64_t steps, double period) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.batch = 1;
  c.order = RowOrder::file;  // row k mod 3 is worker i's k-th minibatch
  c.optimizer.lr = step_size;
  c.hyperparameters = {{"period", period}};
  return c;
}

/// ∇ of row `row` of worker i.
std::vector<double> gradient(const Dataset& data, std::size_t i, std::size_t row,
                             const std::vector<double>& x) {
  const float* values = data.dense.data() + (share_rows * i + row) * data.features;
  std::vector<double> g(x.size());
  for (std::size_t k = 0; k < g.size(); ++k) {
    g[k] = static_cast<double>(values[k]) * (x[k] - static_cast<double>(values[g.size() + k]));
  }
  return g;
}

std::vector<double> mean_of(const Rows& rows) {
  std::vector<double> mean(rows.front().size(), 0.0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += row[k] / static_cast<double>(rows.size());
    }
  }
  return mean;
}

Rows local_svrg_by_its_rule(const Dataset& data, std::uint64_t period, std::uint64_t steps) {
  std::vector<double> x(data.features / 2, 0.0), whole;
  Rows y(workers, x);
  for (std::uint64_t t = 0; t < steps; ++t) {
    if (t % period == 0) {
      x = y.front();
      Rows all;
      for (std::size_t i = 0; i < workers; ++i) {
        for (std::size_t r = 0; r < share_rows; ++r) all.push_back(gradient(data, i, r, x));
      }
      whole = mean_of(all);
    }
    for (std::size_t i = 0; i < workers; ++i) {
      const auto now = gradient(data, i, t % share_rows, y[i]);
      const auto then = gradient(data, i, t % share_rows, x);
      for (std::size_t k = 0; k < x.size(); ++k) {
        y[i][k] -= step_size * (now[k] - then[k] + whole[k]);
      }
    }
    if ((t + 1) % period == 0) y = Rows(workers, mean_of(y));
  }
  return y;
}

}  // namespace

TEST_CASE("local-svrg follows its rule, row by row", "[scheme][rule:local-svrg]") {
  const Dataset data = many_rows();
  for (const std::uint64_t period : {1U, 3U, 4U}) {
    for (const std::uint64_t steps : {1U, 3U, 4U, 7U, 30U}) {
      CAPTURE(period, steps);
      const Configuration c = configuration("local-svrg", steps, static_cast<double>(period));
      test::check_rows(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
                       local_svrg_by_its_rule(data, period, steps));
    }
  }
}

TEST_CASE("local-svrg with one step in a round is gradient descent over all rows", "[scheme]") {
  const Dataset data = many_rows();
  for (const std::uint64_t steps : {1U, 2U, 20U}) {
    CAPTURE(steps);
    const Configuration c = configuration("local-svrg", steps, 1.0);
    Configuration whole = configuration("ring", steps, 1.0);
    whole.batch = share_rows;
    test::check_rows(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
                     test::run_on_quadratic(whole, data, {}, shares_of_many_rows()).workers);
  }
}

TEST_CASE("a round of local-svrg on quadratics is known in closed form", "[scheme]") {
  // y − x shrinks to −∇F(x) (1 − (1 − γh)^τ)/h, whatever the own optimum is.
  const Dataset data = test::unlike_data(workers);
  const double period = 5.0;
  const Rows found = test::run_on_quadratic(configuration("local-svrg", 5, period), data).workers;
  const std::vector<double> whole = mean_of(test::gradients_of(data, test::all_zero(workers, 2)));
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0.0;
    for (std::size_t i = 0; i < workers; ++i) {
      const double h = static_cast<double>(data.dense_row(i)[k]);
      mean -= whole[k] * (1.0 - std::pow(1.0 - step_size * h, period)) / h / workers;
    }
    for (const auto& replica : found) CHECK(replica[k] == Approx(mean).epsilon(1e-12));
  }
}

TEST_CASE("local-svrg comes to rest at the optimum over rows, local-sgd beside it", "[scheme]") {
  const Dataset data = many_rows();
  const auto distance = [&](const char* scheme) {
    Configuration c = configuration(scheme, 3000, 6.0);
    c.replacement = true;
    return test::farthest(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
                          test::optimum(data));
  };
  CHECK(distance("local-svrg") < 1e-12);
  CHECK(distance("local-sgd") > 1e-2);
}
