// MATCHA applies the rounds that were planned, in which W_ii is often negative.
#include "trainyard/topology/matcha.hpp"

#include <cmath>
#include <vector>

#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"

using namespace trainyard;

namespace {

using Rows = std::vector<std::vector<double>>;

/// h_i = 1 and b_i = i, from 0.
Dataset numbered(int workers) {
  Rows h, b;
  for (int i = 0; i < workers; ++i) {
    h.push_back({1.0});
    b.push_back({static_cast<double>(i)});
  }
  return test::quadratic_data(h, b);
}

Configuration configuration(const char* topology, int workers, double budget, std::uint64_t steps) {
  Configuration c;
  c.scheme = "matcha";
  c.ingredients["topology"] = topology;
  c.workers = workers;
  c.optimizer.lr = 0.05;
  c.steps = steps;
  c.hyperparameters["budget"] = budget;
  return c;
}

/// I − a Σ L_j over the matchings that the round has messages for.
Rows planned_round(const MatchaPlan& plan, const MixingMatrix& round) {
  const std::size_t n = round.size();
  Rows w(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) w[i][i] = 1.0;
  for (const auto& matching : plan.matchings) {
    const auto first = static_cast<std::size_t>(matching.front().a);
    bool active = false;
    for (const auto& to : round[first].sends_to) active |= to.rank == matching.front().b;
    if (!active) continue;
    for (const auto& link : matching) {
      const auto a = static_cast<std::size_t>(link.a), b = static_cast<std::size_t>(link.b);
      w[a][a] -= plan.step;
      w[b][b] -= plan.step;
      w[a][b] += plan.step;
      w[b][a] += plan.step;
    }
  }
  return w;
}

}  // namespace

TEST_CASE("matcha's mean is exact on every graph, at every budget", "[scheme]") {
  for (const char* topology : {"path", "star", "ring", "grid", "erdos-renyi"}) {
    for (const int n : {5, 8, 13}) {
      const Dataset data = numbered(n);
      for (const double budget : {0.2, 0.5, 1.0}) {
        CAPTURE(topology, n, budget);
        // The mean is as far from the optimum as 0.95^600 = 4e-14 leaves it, whatever W is.
        const Configuration c = configuration(topology, n, budget, 600);
        CHECK(test::run_on_quadratic(c, data).model[0] == Approx((n - 1) / 2.0).margin(1e-9));
      }
    }
  }
}

TEST_CASE("matcha applies the matrices that were planned, for 1000 rounds",
          "[scheme][rule:matcha]") {
  for (const char* topology : {"path", "star", "ring"}) {
    constexpr int n = 8;
    const Dataset data = numbered(n);
    const MatchaPlan plan = plan_matcha(make_topology(topology, n, 3), 0.5);
    const Topology rounds = drawn_rounds(plan, n, 3);
    std::vector<double> x(n, 0.0);
    int negative = 0;
    for (std::uint64_t t = 0; t < 1000; ++t) {
      const Rows w = planned_round(plan, rounds.matrices[t % rounds.period()]);
      std::vector<double> next(n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        negative += w[i][i] < 0.0 ? 1 : 0;
        for (std::size_t j = 0; j < n; ++j) {
          next[i] += w[i][j] * (x[j] - 0.05 * (x[j] - static_cast<double>(j)));
        }
      }
      x = next;
      if (t != 0 && t != 9 && t != 299 && t != 999) continue;
      CAPTURE(topology, t);
      Configuration c = configuration(topology, n, 0.5, t + 1);
      c.seed = 3;
      const auto found = test::run_on_quadratic(c, data).workers;
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(found[i][0] == Approx(x[i]).epsilon(1e-11).margin(1e-11));
      }
    }
    CHECK(negative > 100);
  }
}
