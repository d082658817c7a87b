// NoLoCo against its rule written out for two workers, against diloco, and for what deals do.
#include <algorithm>
#include <set>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

Configuration configuration(int workers, std::uint64_t steps, double group) {
  Configuration c;
  c.scheme = "noloco";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters = {{"period", 3.0}, {"mixing-group", group}};
  return c;
}

}  // namespace

/// The paper's three terms, before what cancels is left out, of a pair that began apart.
TEST_CASE("noloco is drawn along its group's way and to its mean", "[scheme][rule:noloco]") {
  const Dataset data = test::unlike_data(2);
  const std::size_t size = data.features / 2;
  constexpr double eta = 0.6, mu = 0.7;
  std::vector<Doubles> slow{Doubles(size, 1.0), Doubles(size, -2.0)}, fast = slow,
                                                                      m(2, Doubles(size, 0.0));
  const std::vector<Doubles> starts = slow;
  for (int done = 1; done <= 14; ++done) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < 2; ++i) {
        const double curvature = static_cast<double>(data.dense_row(i)[j]);
        fast[i][j] -=
            0.1 * curvature * (fast[i][j] - static_cast<double>(data.dense_row(i)[size + j]));
      }
      if (done % 3 != 0) continue;
      const double way = (fast[0][j] - slow[0][j] + fast[1][j] - slow[1][j]) / 2.0;
      const double mean = (slow[0][j] + slow[1][j]) / 2.0;
      for (std::size_t i = 0; i < 2; ++i) {
        m[i][j] = mu * m[i][j] + eta * way + eta * (mean - slow[i][j]);
        fast[i][j] = slow[i][j] += m[i][j];
      }
    }
    CAPTURE(done);
    Configuration c = configuration(2, static_cast<std::uint64_t>(done), 2);
    c.hyperparameters["outer-lr"] = eta;
    c.hyperparameters["outer-momentum"] = mu;
    const test::Replicas found = test::run_on_quadratic(c, data, {}, {.starts = starts});
    for (std::size_t i = 0; i < 2; ++i) test::check_close(found.workers[i], fast[i]);
  }
}

TEST_CASE("noloco of a group of all is diloco with heavy ball", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  Configuration same = configuration(5, 20, 5);
  same.scheme = "diloco";
  same.hyperparameters = {{"period", 3.0}, {"outer-optimizer", 1.0}};
  test::check_close(test::run_on_quadratic(configuration(5, 20, 5), data).model,
                    test::run_on_quadratic(same, data).model);
}

/// Without a step of the workers' own, η = 1 and no momentum, a group's models become their mean.
TEST_CASE("noloco deals all workers to groups, and others in each round", "[scheme]") {
  constexpr int workers = 7;
  const Dataset data = test::unlike_data(workers);
  const std::size_t size = data.features / 2;
  std::vector<Doubles> starts;
  for (int i = 0; i < workers; ++i) starts.emplace_back(size, static_cast<double>(1 << i));
  std::set<std::vector<Doubles>> seen;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    Configuration c = configuration(workers, 1, 2);
    c.seed = seed;
    c.optimizer.lr = 1e-300;
    c.hyperparameters["period"] = 1;
    c.hyperparameters["outer-lr"] = 1.0;
    c.hyperparameters["outer-momentum"] = 0.0;
    const auto found = test::run_on_quadratic(c, data, {}, {.starts = starts}).workers;
    double sum = 0.0;
    for (const Doubles& x : found) {
      sum += x[0];
      const auto alike = std::ranges::count_if(
          found, [&](const Doubles& y) { return y[0] == Approx(x[0]).epsilon(1e-12); });
      CHECK((alike == 2 || alike == 3));  // one pair takes the seventh in
    }
    CHECK(sum == Approx((1 << workers) - 1));
    seen.insert(found);
  }
  CHECK(seen.size() >= 3);
}
