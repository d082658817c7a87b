// K-GT against its paper's lines, against gradient tracking, and where it comes to rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.1;

Configuration configuration(int workers, std::uint64_t steps, double period, double eta = 1.0) {
  Configuration c;
  c.scheme = "k-gt";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  c.hyperparameters = {{"period", period}, {"communication-step", eta}};
  return c;
}

/// Algorithm 1 from c = 0, with z as the paper has it, from the models.
Rows k_gt_of_the_paper(const Dataset& data, const Rows& w, int period, double eta,
                       std::uint64_t steps) {
  const double way = period * step_size;  // K η_c
  Rows x = test::all_zero(data.rows, data.features / 2), local = x, c = x;
  for (std::uint64_t t = 1; t <= steps; ++t) {
    local = test::combined(
        {{1.0, local}, {-step_size, test::gradients_of(data, local)}, {-step_size, c}});
    if (t % static_cast<std::uint64_t>(period) != 0) continue;
    const Rows z = test::combined({{1.0 / way, x}, {-1.0 / way, local}});
    c = test::combined({{1.0, c}, {-1.0, z}, {1.0, test::mixed_rows(w, z)}});
    x = test::mixed_rows(w, test::combined({{1.0, x}, {-way * eta, z}}));
    local = x;
  }
  return local;
}

}  // namespace

TEST_CASE("k-gt follows its paper: local steps, what they were, a round", "[scheme][rule:k-gt]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "static-exp"}) {
    for (const int period : {1, 3, 4}) {
      for (const double eta : {1.0, 0.6, 1.5}) {
        for (const std::uint64_t steps : {1U, 3U, 8U, 40U}) {
          CAPTURE(topology, period, eta, steps);
          Configuration c = configuration(n, steps, period, eta);
          c.ingredients["topology"] = topology;
          test::check_rows(
              test::run_on_quadratic(c, data).workers,
              k_gt_of_the_paper(data, test::matrix_of(topology, n), period, eta, steps));
        }
      }
    }
  }
}

TEST_CASE("k-gt with a round after every step is tracking in next's form", "[scheme]") {
  // X ← W(X − γY), Y ← WY + G_new − G_old, Y⁰ = G⁰.
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  const Rows w = test::matrix_of("ring", n);
  Rows x = test::all_zero(n, data.features / 2);
  Rows g = test::gradients_of(data, x), y = g;
  for (std::uint64_t step = 1; step <= 30; ++step) {
    CAPTURE(step);
    x = test::mixed_rows(w, test::combined({{1.0, x}, {-step_size, y}}));
    const Rows found = test::run_on_quadratic(configuration(n, step, 1.0), data).workers;
    test::check_rows(found, x);
    const Rows newest = test::gradients_of(data, x);
    y = test::combined({{1.0, test::mixed_rows(w, y)}, {1.0, newest}, {-1.0, g}});
    g = newest;
  }
}

TEST_CASE("over a complete graph k-gt is scaffold with all clients", "[scheme]") {
  // c_i ← c_i − c + (x − x_i')/(Kγ), c their mean, as SCAFFOLD's option II; x the mean of all x_i'.
  const int n = 4, period = 3;
  const Dataset data = test::unlike_data(n);
  const std::size_t d = data.features / 2;
  Rows x = test::all_zero(n, d), control = x, common = x;
  for (int round = 0; round < 10; ++round) {
    Rows local = x;
    for (int k = 0; k < period; ++k) {
      local = test::combined({{1.0, local},
                              {-step_size, test::gradients_of(data, local)},
                              {step_size, control},
                              {-step_size, common}});
    }
    const double way = period * step_size;
    control = test::combined({{1.0, control}, {-1.0, common}, {1.0 / way, x}, {-1.0 / way, local}});
    const Rows mean(n, std::vector<double>(n, 1.0 / n));
    common = test::mixed_rows(mean, control);
    x = test::mixed_rows(mean, local);
  }
  Configuration c = configuration(n, 10 * period, period);
  c.ingredients["topology"] = "full";
  test::check_rows(test::run_on_quadratic(c, data).workers, x);
}

TEST_CASE("k-gt comes to rest at the optimum with many local steps, over graphs that vary too",
          "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  const std::vector<double> best = test::optimum(data);
  for (const char* topology : {"ring", "static-exp", "one-peer-exp"}) {
    for (const double period : {2.0, 5.0, 8.0}) {
      CAPTURE(topology, period);
      Configuration c = configuration(n, 6000, period);
      c.ingredients["topology"] = topology;
      const test::Replicas found = test::run_on_quadratic(c, data);
      CHECK(test::farthest(found.workers, best) < 1e-11);
      // Each worker's correction makes its own gradient that of all, which is 0.
      const Rows gradients = test::gradients_of(data, found.workers);
      for (std::size_t i = 0; i < found.kept.size(); ++i) {
        for (std::size_t j = 0; j < best.size(); ++j) {
          CHECK(found.kept[i].at("correction")[j] == Approx(-gradients[i][j]).margin(1e-10));
        }
      }
    }
  }
}
