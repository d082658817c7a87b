// DLM against its paper's lines, against EXTRA's matrices, and where it comes to rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.2;

Configuration configuration(int workers, std::uint64_t steps, double penalty) {
  Configuration c;
  c.scheme = "dlm";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  c.hyperparameters = {{"consensus-penalty", penalty}};
  return c;
}

/// Degrees on the diagonal, −1 for each link.
Rows laplacian_of(const Rows& w) {
  Rows laplacian = test::all_zero(w.size(), w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (i == j || w[i][j] == 0.0) continue;
      laplacian[i][j] = -1.0;
      laplacian[i][i] += 1.0;
    }
  }
  return laplacian;
}

Rows dlm_of_the_paper(const Dataset& data, const Rows& laplacian, double penalty,
                      std::uint64_t steps) {
  Rows x = test::all_zero(data.rows, data.features / 2), phi = x;
  for (std::uint64_t t = 0; t < steps; ++t) {
    const Rows along = test::combined({{1.0, test::gradients_of(data, x)},
                                       {penalty, test::mixed_rows(laplacian, x)},
                                       {1.0, phi}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double degree = laplacian[i][i];
      for (std::size_t j = 0; j < x[i].size(); ++j) {
        x[i][j] -= along[i][j] / (1.0 / step_size + 2.0 * penalty * degree);
      }
    }
    phi = test::combined({{1.0, phi}, {penalty, test::mixed_rows(laplacian, x)}});
  }
  return x;
}

}  // namespace

TEST_CASE("dlm follows its paper over links of any weights", "[scheme][rule:dlm]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path", "full"}) {
    for (const double penalty : {0.3, 2.0}) {
      for (const std::uint64_t steps : {1U, 2U, 7U, 60U}) {
        CAPTURE(topology, penalty, steps);
        Configuration c = configuration(n, steps, penalty);
        c.ingredients["topology"] = topology;
        const Rows laplacian = laplacian_of(test::matrix_of(topology, n));
        test::check_rows(test::run_on_quadratic(c, data).workers,
                         dlm_of_the_paper(data, laplacian, penalty, steps));
      }
    }
  }
}

TEST_CASE("where all have equally many neighbours dlm is EXTRA, but for its first step",
          "[scheme]") {
  // X^{t+2} = (I + W) X^{t+1} − ½ (I + W) X^t − μ(G^{t+1} − G^t), W = I − 2μcL;
  // X¹ = ½ (I + W) X⁰ − μ G⁰ where EXTRA has W.
  const int n = 6;
  const double penalty = 0.7, mu = 1.0 / (1.0 / step_size + 4.0 * penalty);
  const Dataset data = test::unlike_data(n);
  Rows w = laplacian_of(test::matrix_of("ring", n));
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[i][j] = (i == j ? 1.0 : 0.0) - 2.0 * mu * penalty * w[i][j];
    }
  }
  const Rows half = test::moved_by(0.5, w);
  test::Special starts;
  for (int i = 0; i < n; ++i) starts.starts.push_back({0.5 * i, 1.0 - i});
  Rows before = starts.starts;
  Rows g = test::gradients_of(data, before);
  Rows x = test::combined({{1.0, test::mixed_rows(half, before)}, {-mu, g}});
  for (std::uint64_t step = 1; step <= 40; ++step) {
    CAPTURE(step);
    test::check_rows(
        test::run_on_quadratic(configuration(n, step, penalty), data, {}, starts).workers, x);
    const Rows newest = test::gradients_of(data, x);
    const Rows next = test::combined({{2.0, test::mixed_rows(half, x)},
                                      {-1.0, test::mixed_rows(half, before)},
                                      {-mu, newest},
                                      {mu, g}});
    before = x;
    x = next;
    g = newest;
  }
}

TEST_CASE("dlm comes to rest at the optimum with any penalty", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "full"}) {
    for (const double penalty : {0.3, 1.0, 4.0}) {
      CAPTURE(topology, penalty);
      Configuration c = configuration(n, 6000, penalty);
      c.ingredients["topology"] = topology;
      const test::Replicas found = test::run_on_quadratic(c, data);
      CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-11);
      double sum = 0.0;
      for (const auto& kept : found.kept) sum += kept.at("dual variable")[0];
      CHECK(sum == Approx(0.0).margin(1e-11));
    }
  }
}
