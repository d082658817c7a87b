#include "trainyard/topology/spectrum.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("what analysis says of a matrix that is not symmetric is its largest singular value",
          "[topology]") {
  // W = P/2 + I/2 with the shift P of three: normal, eigenvalues ½ + ½ e^{2πik/3}, modulus ½.
  const MixingMatrix shift = mixing_matrix(3, {{0, 1, 0.5}, {1, 2, 0.5}, {2, 0, 0.5}});
  CHECK(contraction(shift) == Approx(0.5).epsilon(1e-12));
  CHECK_FALSE(symmetric(shift));
  // Not normal: W² = 11ᵀ/n would need ρ = 0 of its eigenvalues, and the norm is not 0. Both
  // eigenvalues but one of this W are 0, and its norm without the mean is that of the difference.
  const MixingMatrix skewed = mixing_matrix(
      3, {{0, 1, 0.5}, {0, 2, 0.25}, {1, 0, 0.25}, {1, 2, 0.5}, {2, 0, 0.5}, {2, 1, 0.25}});
  const auto w = dense(skewed);
  // By the trace and determinant of (W − 11ᵀ/3)ᵀ(W − 11ᵀ/3), which has the eigenvalue 0 once.
  double trace = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double entry = 0.0;
      for (std::size_t r = 0; r < 3; ++r) entry += (w[r][i] - 1.0 / 3) * (w[r][j] - 1.0 / 3);
      squares += entry * entry;
      if (i == j) trace += entry;
    }
  }
  const double largest = (trace + std::sqrt(2 * squares - trace * trace)) / 2;
  CHECK(contraction(skewed) == Approx(std::sqrt(largest)).epsilon(1e-12));
}

TEST_CASE("analysis sees what is not doubly stochastic, not connected, not lockstep",
          "[topology]") {
  CHECK_FALSE(doubly_stochastic(mixing_matrix(3, {{0, 1, 0.5}, {1, 2, 0.5}, {2, 1, 0.5}})));
  CHECK_FALSE(doubly_stochastic(mixing_matrix(2, {{0, 1, 1.5}, {1, 0, 1.5}})));  // negative
  const TopologyFigures apart =
      analyse({"apart", {metropolis_hastings(4, std::vector<GraphEdge>{{0, 1}, {2, 3}})}});
  CHECK_FALSE(apart.connected);
  CHECK(apart.rho == Approx(1.0).epsilon(1e-12));
  CHECK_FALSE(apart.rounds_to_1e6);
  CHECK_FALSE(apart.rounds_to_1e3);
  CHECK_FALSE(analyse(make_topology("star", 5, 1)).lockstep_rounds);
  CHECK(analyse(make_topology("torus", 16, 1)).lockstep_rounds == 4);
  // One way only: 0 hears of all and nobody hears of 0; and the other way round.
  CHECK_FALSE(analyse({"one way", {mixing_matrix(2, {{0, 1, 0.5}})}}).connected);
  CHECK_FALSE(analyse({"one way", {mixing_matrix(2, {{1, 0, 0.5}})}}).connected);
}

TEST_CASE("a graph mixes when it is connected and not in step", "[topology]") {
  const auto circle = [](int n, double weight) {
    std::vector<MixingEdge> edges;
    for (int i = 0; i < n; ++i) edges.push_back({(i + 1) % n, i, weight});
    return edges;
  };
  for (const int n : {2, 3, 6}) {
    CAPTURE(n);
    CHECK_FALSE(mixes({"circle", {mixing_matrix(n, circle(n, 1.0))}}));
    CHECK(contraction(mixing_matrix(n, circle(n, 1.0))) == Approx(1.0).epsilon(1e-12));
    CHECK(mixes({"circle", {mixing_matrix(n, circle(n, 0.9))}}));
  }
  // Walks of three and of four rounds lead back, so that in six all are everywhere.
  std::vector<MixingEdge> two = circle(4, 1.0);
  two[3].weight = 0.5;         // 0 gets half from 3
  two.push_back({0, 2, 0.5});  // and half from 2
  CHECK(mixes({"two", {mixing_matrix(4, two)}}));
  CHECK_FALSE(mixes({"apart", {metropolis_hastings(4, std::vector<GraphEdge>{{0, 1}, {2, 3}})}}));
  for (const char* name : {"ring", "full", "static-exp", "star", "one-peer-exp", "base:2"}) {
    CAPTURE(name);
    CHECK(mixes(make_topology(name, 1, 1)));
    CHECK(mixes(make_topology(name, 2, 1)));
    CHECK(mixes(make_topology(name, 9, 1)));
  }
}

TEST_CASE("messages are counted a rank and a round", "[topology]") {
  CHECK(analyse(make_topology("star", 5, 1)).messages == Approx(8.0 / 5));
  CHECK(analyse(make_topology("full", 6, 1)).messages == Approx(5.0));
  CHECK(analyse(make_topology("base:2", 5, 1)).messages == Approx(4.0 / 5));
  CHECK(analyse(make_topology("ring", 1, 1)).messages == 0.0);
  CHECK(analyse(make_topology("ring", 1, 1)).exact_rounds == 0);
}

TEST_CASE("consensus distance is the mean squared distance from the mean", "[topology]") {
  const std::vector<double> x{0, 1, 2, 3, 4};
  CHECK(consensus_distance(x) == Approx(2.0));
}
