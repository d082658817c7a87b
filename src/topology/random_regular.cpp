// Random regular graph: every rank has D neighbours, weights 1/(D + 1). Drawn by joining random
// loose ends until none is left (Steger & Wormald 1999), again when that leads nowhere or the graph
// is not connected. Where a rank has more than half of all others as neighbours, the links that are
// not there are drawn instead: the last loose ends of a dense graph hardly ever fit. Almost all of
// these graphs are expanders: ρ ≈ (1 + 2√(D − 1))/(D + 1).
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

constexpr int default_degree = 4;
/// Passes over the loose ends in a row that join none of them: then no two can be, most likely.
constexpr int most_idle_passes = 50;

/// Fewer than D · n / 2 links when it got stuck.
std::vector<GraphEdge> draw(int ranks, int degree, RandomStream& stream) {
  std::vector<std::uint32_t> loose;
  for (int i = 0; i < ranks; ++i) loose.insert(loose.end(), static_cast<std::size_t>(degree), i);
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  std::vector<GraphEdge> links;
  for (int idle = 0; !loose.empty() && idle < most_idle_passes; ++idle) {
    stream.shuffle(loose);
    std::vector<std::uint32_t> left;
    for (std::size_t k = 0; k < loose.size(); k += 2) {
      const auto [a, b] = std::minmax(loose[k], loose[k + 1]);
      if (a != b && joined.emplace(a, b).second) {
        links.push_back({static_cast<int>(a), static_cast<int>(b)});
      } else {
        left.insert(left.end(), {loose[k], loose[k + 1]});
      }
    }
    if (left.size() < loose.size()) idle = -1;
    loose = std::move(left);
  }
  return links;
}

/// All links but these.
std::vector<GraphEdge> complement(int ranks, const std::vector<GraphEdge>& links) {
  std::set<std::pair<int, int>> missing;
  for (const GraphEdge& link : links) missing.emplace(link.a, link.b);
  std::vector<GraphEdge> others;
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      if (!missing.contains({a, b})) others.push_back({a, b});
    }
  }
  return others;
}

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  const int degree = static_cast<int>(request.number.value_or(default_degree));
  const std::string name = fmt::format("random-regular:{}", degree);
  if (n <= degree) {
    refuse_ranks(name, n, fmt::format("cannot have {} neighbours each", degree),
                 fmt::format("{} or more", degree + 1));
  }
  if (n % 2 == 1 && degree % 2 == 1) {
    refuse_ranks(name, n, "times an odd degree are no whole number of links",
                 "an even number of workers, or an even degree");
  }
  require_links(name, n, static_cast<double>(n) * degree);
  RandomStream stream(request.seed, Purpose::topology);
  const bool dense = degree > (n - 1) / 2;
  const int drawn = dense ? n - 1 - degree : degree;
  const std::size_t wanted = static_cast<std::size_t>(n) * static_cast<std::size_t>(drawn) / 2;
  for (int k = 0; k < most_draws; ++k) {
    std::vector<GraphEdge> links = draw(n, drawn, stream);
    if (links.size() != wanted) continue;
    if (dense) links = complement(n, links);
    if (connected(n, links)) return {"", {metropolis_hastings(n, links)}};
  }
  throw UsageError(fmt::format(
      "{}: none of {} draws for {} workers was a connected graph; a degree of 3 or more mostly is",
      name, most_draws, n));
}

}  // namespace

TopologyInfo random_regular_topology() {
  return {.name = "random-regular",
          .argument = "D",
          .summary = "D random neighbours each [4], weights 1/(D + 1); by --seed",
          .low = 1,
          .high = 4096,
          .make = make};
}

}  // namespace trainyard
