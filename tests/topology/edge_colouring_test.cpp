#include "trainyard/topology/edge_colouring.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/topologies.hpp"

using namespace trainyard;

namespace {

using Links = std::vector<GraphEdge>;

Links links_of(const Topology& graph) {
  std::set<std::pair<int, int>> pairs;
  for (const MixingMatrix& matrix : graph.matrices) {
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      for (const auto& from : matrix[to].receives) {
        pairs.insert(std::minmax(static_cast<int>(to), from.rank));
      }
    }
  }
  Links links;
  for (const auto& [a, b] : pairs) links.push_back({a, b});
  return links;
}

std::size_t largest_degree(int ranks, const Links& links) {
  std::vector<std::size_t> degrees(static_cast<std::size_t>(ranks), 0);
  for (const auto& [a, b] : links) {
    ++degrees[static_cast<std::size_t>(a)];
    ++degrees[static_cast<std::size_t>(b)];
  }
  return *std::ranges::max_element(degrees);
}

/// The number of colours, after a look at whether it is a colouring of these links.
std::size_t colours_of(int ranks, const Links& links) {
  const auto matchings = matchings_of(ranks, links);
  std::set<std::pair<int, int>> found;
  for (const auto& matching : matchings) {
    CHECK_FALSE(matching.empty());
    std::set<int> ends;
    for (const auto& [a, b] : matching) {
      CHECK(ends.insert(a).second);
      CHECK(ends.insert(b).second);
      CHECK(found.insert(std::minmax(a, b)).second);
    }
  }
  std::set<std::pair<int, int>> expected;
  for (const auto& [a, b] : links) expected.insert(std::minmax(a, b));
  CHECK(found == expected);
  return matchings.size();
}

}  // namespace

TEST_CASE("a graph's links get at most Δ + 1 colours", "[topology]") {
  for (const int n : {2, 3, 5, 6, 8, 13, 16}) {
    for (const std::string& name : test::topologies_for(n)) {
      CAPTURE(name, n);
      const Links links = links_of(make_topology(name, n, 1));
      CHECK(colours_of(n, links) <= largest_degree(n, links) + 1);
    }
  }
  CHECK(matchings_of(4, {}).empty());
}

TEST_CASE("random graphs get at most Δ + 1 colours, bipartite ones Δ", "[topology]") {
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    RandomStream random(seed, Purpose::topology);
    const int n = 3 + static_cast<int>(random.below(22));
    const double density = random.uniform();
    const bool bipartite = random.below(2) == 0;
    Links links;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < a; ++b) {
        if (bipartite && a % 2 == b % 2) continue;
        if (random.uniform() < density) links.push_back({a, b});
      }
    }
    if (links.empty()) continue;
    for (std::size_t k = links.size() - 1; k > 0; --k) {
      std::swap(links[k], links[random.below(k + 1)]);
    }
    CAPTURE(seed, n, bipartite);
    const std::size_t most = largest_degree(n, links) + (bipartite ? 0 : 1);
    CHECK(colours_of(n, links) <= most);
  }
}

TEST_CASE("graphs whose number of colours is known", "[topology]") {
  for (const int n : {2, 4, 6, 8, 10, 16, 22, 30}) {
    const auto even = static_cast<std::size_t>(n);
    CHECK(colours_of(n, links_of(make_topology("full", n, 1))) == even - 1);
    CHECK(colours_of(n + 1, links_of(make_topology("full", n + 1, 1))) == even + 1);
    CHECK(colours_of(n, links_of(make_topology("star", n, 1))) == even - 1);
    CHECK(colours_of(n + 1, links_of(make_topology("ring", n + 1, 1))) == 3);
  }
  CHECK(colours_of(8, links_of(make_topology("ring", 8, 1))) == 2);
  CHECK(colours_of(9, links_of(make_topology("path", 9, 1))) == 2);
  CHECK(colours_of(16, links_of(make_topology("hypercube", 16, 1))) == 4);
  // Petersen's, of degree 3, needs 4 (Petersen 1898).
  Links petersen;
  for (int i = 0; i < 5; ++i) {
    petersen.push_back({i, (i + 1) % 5});
    petersen.push_back({i, i + 5});
    petersen.push_back({i + 5, (i + 2) % 5 + 5});
  }
  CHECK(colours_of(10, petersen) == 4);
}
