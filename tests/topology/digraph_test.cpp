#include <cmath>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/partial_averaging.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Made from a file with this text.
Topology made(const std::string& text, int ranks) {
  const TemporaryFolder folder;
  return make_topology("digraph:" + folder.write("links.txt", text).string(), ranks, 1);
}

/// 0 sends to three, 3 to nobody but 0.
constexpr const char* unbalanced = "1 0\n2 0  # and\n3 0\n2 1\n3 2\n0 3\n";

}  // namespace

TEST_CASE("in a directed graph each gives equal shares of what it has", "[topology]") {
  const Topology graph = made(unbalanced, 4);
  CHECK(dense(graph.matrices[0]) ==
        std::vector<std::vector<double>>{
            {0.25, 0, 0, 0.5}, {0.25, 0.5, 0, 0}, {0.25, 0.5, 0.5, 0}, {0.25, 0, 0.5, 0.5}});
  CHECK_FALSE(row_stochastic(graph.matrices[0]));
  CHECK_FALSE(doubly_stochastic(graph.matrices[0]));
}

TEST_CASE("a directed circle is doubly stochastic", "[topology]") {
  CHECK(doubly_stochastic(made("1 0\n2 1\n0 2\n", 3).matrices[0]));
}

TEST_CASE(
    "partial averaging over a directed graph estimates the mean, and goes as fast as the "
    "second eigenvalue",
    "[topology]") {
  const Topology graph = made(unbalanced, 4);
  std::vector<double> start{3.0, -1.0, 4.0, 10.0};
  PartialAveraging averaging(graph, start);
  // One round by hand: u = Wx, w = W1.
  averaging.next_round();
  CHECK(averaging.values()[0] == Approx((0.75 + 5.0) / 0.75));
  CHECK(averaging.values()[1] == Approx((0.75 - 0.5) / 0.75));
  CHECK(averaging.values()[2] == Approx((0.75 - 0.5 + 2.0) / 1.25));
  CHECK(averaging.values()[3] == Approx((0.75 + 2.0 + 5.0) / 1.25));
  for (int k = 0; k < 8; ++k) averaging.next_round();
  const double before = std::sqrt(consensus_distance(averaging.values()));
  constexpr int more = 20;
  for (int k = 0; k < more; ++k) averaging.next_round();
  const double after = std::sqrt(consensus_distance(averaging.values()));
  for (const double value : averaging.values()) CHECK(value == Approx(4.0).epsilon(1e-6));
  const TopologyFigures figures = analyse(graph);
  CHECK(std::pow(after / before, 1.0 / more) == Approx(figures.rho).epsilon(0.05));
  CHECK(figures.connected);
  CHECK_FALSE(figures.exact_rounds);
  CHECK(figures.rounds_to_1e6);
}

TEST_CASE("the least weight of push-sum is that of who receives least", "[topology]") {
  // A chain 0 → 1 → … → 9, and links from all back to 0.
  std::string chain = "1 0\n";
  for (int i = 1; i < 10; ++i) {
    if (i < 9) chain += std::to_string(i + 1) + " " + std::to_string(i) + "\n";
    chain += "0 " + std::to_string(i) + "\n";
  }
  // Stationary: w_1 = w_0/2 + w_1/3, w_i = w_{i-1}/3 + w_i/3, w_9 = w_8/3 + w_9/2.
  std::vector<double> w{1.0, 0.75};
  for (int i = 2; i < 9; ++i) w.push_back(w.back() / 2);
  w.push_back(w.back() * 2 / 3);
  double sum = 0.0;
  for (const double each : w) sum += each;
  const double stationary = 10.0 * w[9] / sum;
  const double found = analyse(made(chain, 10)).least_weight.value_or(0.0);
  CHECK(found <= stationary);  // less on the way there
  CHECK(found > 0.8 * stationary);
  CHECK_FALSE(analyse(make_topology("ring", 5, 1)).least_weight);
}

TEST_CASE("where the rows add up to one, partial averaging is plain", "[topology]") {
  const Topology ring = make_topology("ring", 5, 1);
  std::vector<double> x{0, 1, 2, 3, 4};
  PartialAveraging averaging(ring, x);
  for (int k = 0; k < 3; ++k) {
    averaging.next_round();
    x = mixed(ring.matrices[0], x);
  }
  CHECK(averaging.values() == x);
}

TEST_CASE("a directed graph is connected when all hear of all", "[topology]") {
  CHECK(connected(made(unbalanced, 4)));
  CHECK_FALSE(connected(made("1 0\n2 0\n3 0\n", 4)));            // 0 hears of nobody
  CHECK_FALSE(connected(made("0 1\n0 2\n0 3\n", 4)));            // nobody hears of 0
  CHECK_FALSE(connected(made("0 1\n1 0\n2 3\n3 2\n1 2\n", 4)));  // one way between two pairs
  CHECK(analyse(made("1 0\n2 0\n3 0\n", 4)).connected == false);
}

TEST_CASE("a directed graph takes no weights, and the same link in both directions", "[topology]") {
  CHECK_THROWS_WITH(made("1 0 0.5\n", 2), ContainsSubstring("links.txt:1: found 3 fields") &&
                                              ContainsSubstring("i receives from j"));
  CHECK_THROWS_WITH(made("1 0\n0 1\n1 0\n", 2), ContainsSubstring("first in line 1"));
  CHECK_NOTHROW(made("1 0\n0 1\n", 2));
  CHECK_THROWS_WITH(make_topology("digraph:nowhere.txt", 3, 1),
                    ContainsSubstring("digraph: nowhere.txt: no such file; expected"));
}
