// Geometric random graph: ranks at random places of a unit square, neighbours when they are nearer
// than R; drawn again until connected (catalogue §4.3). Metropolis-Hastings weights. The model of
// wireless sensors, with the long ways of a grid. R is √(2 ln n / n) when none is given.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

std::vector<GraphEdge> links_within(double radius, const std::vector<Place>& places) {
  const int n = static_cast<int>(places.size());
  std::vector<GraphEdge> links;
  for (int i = 0; i < n; ++i) {
    const Place& a = places[static_cast<std::size_t>(i)];
    for (int j = i + 1; j < n; ++j) {
      const Place& b = places[static_cast<std::size_t>(j)];
      if (std::hypot(a.x - b.x, a.y - b.y) < radius) links.push_back({i, j});
    }
  }
  return links;
}

Topology make(const TopologyRequest& request) {
  const int n = request.ranks;
  const double usual = std::sqrt(2.0 * std::log(n) / n);
  const double radius = request.number.value_or(usual);
  const double share = std::min(1.0, std::numbers::pi * radius * radius);  // of all links
  require_links("geometric", n, share * n * n);
  RandomStream stream(request.seed, Purpose::topology);
  for (int k = 0; k < most_draws; ++k) {
    std::vector<Place> places;
    for (int i = 0; i < n; ++i) {
      const double x = stream.uniform();
      places.push_back({x, stream.uniform()});
    }
    const std::vector<GraphEdge> links = links_within(radius, places);
    if (connected(n, links)) return {"", {metropolis_hastings(n, links)}, places};
  }
  throw UsageError(
      fmt::format("geometric:{}: none of {} graphs of {} workers was connected; accepted is "
                  "an R near √(2 ln n / n) = {:.3g} or above",
                  radius, most_draws, n, usual));
}

}  // namespace

TopologyInfo geometric_topology() {
  return {.name = "geometric",
          .argument = "R",
          .summary =
              "random places in a unit square, links shorter than R [sqrt(2 ln n / n)], "
              "connected; by --seed",
          .low = 0.0,
          .high = 2.0,
          .whole = false,
          .make = make};
}

}  // namespace trainyard
