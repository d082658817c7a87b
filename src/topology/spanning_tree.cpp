#include <algorithm>
#include <queue>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

/// One link less than ranks, if they are connected.
std::vector<GraphEdge> tree_links(const Topology& topology) {
  const std::size_t ranks = topology.matrices.front().size();
  std::vector<std::vector<int>> linked(ranks);
  for (const MixingMatrix& matrix : topology.matrices) {
    for (std::size_t to = 0; to < ranks; ++to) {
      for (const MixingRow::Neighbour& neighbour : matrix[to].receives) {
        linked[to].push_back(neighbour.rank);
        linked[static_cast<std::size_t>(neighbour.rank)].push_back(static_cast<int>(to));
      }
    }
  }
  std::vector<GraphEdge> tree;
  std::vector<bool> reached(ranks, false);
  std::queue<int> next({0});
  reached[0] = true;
  for (; !next.empty(); next.pop()) {
    std::vector<int>& neighbours = linked[static_cast<std::size_t>(next.front())];
    std::ranges::sort(neighbours);  // so that the tree does not depend on the order of messages
    for (const int rank : neighbours) {
      if (reached[static_cast<std::size_t>(rank)]) continue;
      reached[static_cast<std::size_t>(rank)] = true;
      tree.push_back({next.front(), rank});
      next.push(rank);
    }
  }
  return tree;
}

}  // namespace

MixingMatrix spanning_tree(const Topology& topology) {
  const std::size_t ranks = topology.matrices.front().size();
  const std::vector<GraphEdge> tree = tree_links(topology);
  require(tree.size() + 1 == ranks, "a graph that is not connected has no spanning tree");
  return metropolis_hastings(static_cast<int>(ranks), tree);
}

}  // namespace trainyard
