// A graph of the user's own. Without weights, links go both ways with Metropolis-Hastings weights.
// With weights, every line is an entry W[i][j] = w, i receives from j, one way only; the own weight
// is what is missing to 1. Such a W has to be doubly stochastic, for otherwise averaging moves the
// mean; digraph:PATH is for push-sum, which does not need that.
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "topology/link_file.hpp"

namespace trainyard {

namespace {

/// Weights with nine digits are taken as they are meant.
constexpr double tolerance = 1e-8;

void check_weights(const std::vector<MixingEdge>& links, const std::string& name, int ranks) {
  std::vector<double> given(static_cast<std::size_t>(ranks), 0.0);
  std::vector<double> got = given;
  for (const MixingEdge& link : links) {
    given[static_cast<std::size_t>(link.to)] += link.weight;
    got[static_cast<std::size_t>(link.from)] += link.weight;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] > 1.0 + tolerance) {
      throw UsageError(
          fmt::format("{}: worker {} gives others weights that add up to {:.9g}; at most 1", name,
                      i, given[i]));
    }
    if (std::abs(given[i] - got[i]) > tolerance) {
      throw UsageError(fmt::format(
          "{}: worker {} gives others {:.9g} in all and they give it {:.9g}; expected equal "
          "sums, so that rows and columns of W add up to 1",
          name, i, given[i], got[i]));
    }
  }
}

Topology make(const TopologyRequest& request) {
  const LinkFile file = read_links(request, LinkLines::both_ways_or_weighted, "file");
  return {"", {matrix_of_links(file, "file: " + request.file, request.ranks)}};
}

}  // namespace

MixingMatrix matrix_of_links(const LinkFile& file, const std::string& name, int ranks) {
  if (file.weighted) {
    check_weights(file.links, name, ranks);
    return mixing_matrix(ranks, file.links);
  }
  std::vector<GraphEdge> links;
  for (const MixingEdge& link : file.links) links.push_back({link.to, link.from});
  return metropolis_hastings(ranks, links);
}

TopologyInfo file_topology() {
  return {.name = "file",
          .argument = "PATH",
          .summary = "your own: lines 'i j', or 'i j weight' with W[i][j] = weight; # comments",
          .make = make};
}

}  // namespace trainyard
