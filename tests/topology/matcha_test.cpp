// MATCHA's plan against what it is defined by, worked out by enumeration.
#include "trainyard/topology/matcha.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Rows = std::vector<std::vector<double>>;

MixingMatrix round_of(const MatchaPlan& plan, int ranks, unsigned active) {
  std::vector<MixingEdge> edges;
  for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
    if ((active >> j & 1U) == 0) continue;
    for (const auto& [a, b] : plan.matchings[j]) {
      edges.push_back({a, b, plan.step});
      edges.push_back({b, a, plan.step});
    }
  }
  return mixing_matrix(ranks, edges);
}

/// λ_max(E[WᵀW] − 11ᵀ/n) over all ways of choosing matchings, by the power method.
double mean_square_contraction(const MatchaPlan& plan, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  Rows mean(n, std::vector<double>(n, -1.0 / ranks));
  for (unsigned active = 0; active < 1U << plan.matchings.size(); ++active) {
    double probability = 1.0;
    for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
      const double p = plan.probabilities[j];
      probability *= (active >> j & 1U) != 0 ? p : 1.0 - p;
    }
    const Rows w = dense(round_of(plan, ranks, active));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t m = 0; m < n; ++m) mean[i][k] += probability * w[m][i] * w[m][k];
      }
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
  double value = 0.0;
  for (int step = 0; step < 5000; ++step) {
    std::vector<double> next(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) next[i] += mean[i][k] * x[k];
    }
    value = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    for (std::size_t i = 0; i < n; ++i) x[i] = next[i] / value;
  }
  return value;
}

}  // namespace

TEST_CASE("matcha's matchings are matchings, and together the graph", "[topology]") {
  for (const char* name : {"ring", "grid", "star", "hypercube", "full", "static-exp"}) {
    CAPTURE(name);
    const MatchaPlan plan = plan_matcha(make_topology(name, 16, 1), 0.5);
    std::set<std::pair<int, int>> links;
    for (const auto& matching : plan.matchings) {
      std::set<int> ends;
      for (const auto& [a, b] : matching) {
        CHECK(ends.insert(a).second);
        CHECK(ends.insert(b).second);
        CHECK(links.insert({a, b}).second);
      }
    }
    std::size_t expected = 0;
    const MixingMatrix w = make_topology(name, 16, 1).matrices.front();
    const Rows rows = dense(w);
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t k = 0; k < i; ++k) expected += rows[i][k] > 0 || rows[k][i] > 0 ? 1 : 0;
    }
    CHECK(links.size() == expected);
    CHECK(std::accumulate(plan.probabilities.begin(), plan.probabilities.end(), 0.0) ==
          Approx(0.5 * static_cast<double>(plan.matchings.size())).epsilon(1e-6));
  }
}

TEST_CASE("matcha's contraction is that of all its rounds, and its step is the best",
          "[topology]") {
  for (const char* name : {"ring", "path", "star", "grid"}) {
    for (const double budget : {0.3, 0.5, 1.0}) {
      CAPTURE(name, budget);
      const int ranks = 6;
      MatchaPlan plan = plan_matcha(make_topology(name, ranks, 1), budget);
      const double found = mean_square_contraction(plan, ranks);
      CHECK(plan.contraction == Approx(found).epsilon(1e-6));
      CHECK(found < 1.0);
      const double best = plan.step;
      for (const double factor : {0.95, 1.05}) {
        plan.step = factor * best;
        CHECK(mean_square_contraction(plan, ranks) > found);
      }
    }
  }
}

TEST_CASE("matcha gives the link that holds a graph together more than its share", "[topology]") {
  // Two complete graphs of four, joined by one link.
  std::vector<GraphEdge> links{{3, 4}};
  for (const int first : {0, 4}) {
    for (int a = first; a < first + 4; ++a) {
      for (int b = first; b < a; ++b) links.push_back({b, a});
    }
  }
  const Topology graph{"barbell", {metropolis_hastings(8, links)}};
  const MatchaPlan plan = plan_matcha(graph, 0.4);
  double bridge = 0.0, least = 1.0;
  for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
    least = std::min(least, plan.probabilities[j]);
    for (const auto& [a, b] : plan.matchings[j]) {
      if (a == 3 && b == 4) bridge = plan.probabilities[j];
    }
  }
  CHECK(bridge > 0.6);
  CHECK(least < 0.4);
}

TEST_CASE("matcha's rounds are drawn as planned, doubly stochastic, the same for one seed",
          "[topology]") {
  const MatchaPlan plan = plan_matcha(make_topology("grid", 12, 1), 0.5);
  const Topology rounds = drawn_rounds(plan, 12, 7);
  std::size_t messages = 0;
  for (const MixingMatrix& matrix : rounds.matrices) {
    CHECK(symmetric(matrix));
    for (const MixingRow& row : matrix) messages += row.sends_to.size();
  }
  double expected = 0.0;
  for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
    expected += 2.0 * plan.probabilities[j] * static_cast<double>(plan.matchings[j].size());
  }
  CHECK(static_cast<double>(messages) / static_cast<double>(rounds.period()) ==
        Approx(expected).epsilon(0.1));
  CHECK(dense(drawn_rounds(plan, 12, 7).matrices[9]) == dense(rounds.matrices[9]));
}

TEST_CASE("matcha's rounds connect all workers, however small the budget", "[topology]") {
  const auto check = [](const char* name, int ranks, std::uint64_t seeds) {
    const MatchaPlan plan = plan_matcha(make_topology(name, ranks, 1), 0.01);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(name, ranks, seed);
      CHECK(connected(drawn_rounds(plan, ranks, seed)));
    }
  };
  check("ring", 16, 60);
  check("star", 60, 2);  // 59 matchings: 256 rounds leave some of them out, whatever the draw
}

TEST_CASE("rounds of matcha over too many ranks are refused", "[topology]") {
  CHECK_THROWS_WITH(plan_matcha(make_topology("ring", 1025, 1), 0.5),
                    ContainsSubstring("at most 1024"));
}
