#include "trainyard/topology/topology.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"

namespace trainyard {

MixingMatrix mixing_matrix(int ranks, const std::vector<MixingEdge>& edges) {
  std::map<std::pair<int, int>, double> entries;  // (to, from) → weight
  for (const MixingEdge& edge : edges) {
    if (edge.to != edge.from) entries[{edge.to, edge.from}] += edge.weight;
  }
  MixingMatrix matrix(static_cast<std::size_t>(ranks));
  for (const auto& [ends, weight] : entries) {
    const auto [to, from] = ends;
    MixingRow& receiver = matrix[static_cast<std::size_t>(to)];
    receiver.receives.push_back({from, weight});
    receiver.self_weight -= weight;
    matrix[static_cast<std::size_t>(from)].sends_to.push_back(to);
  }
  for (int i = 0; i < ranks; ++i) {
    MixingRow& row = matrix[static_cast<std::size_t>(i)];
    const auto distance = [ranks](int from, int to) { return (to - from + ranks) % ranks; };
    std::sort(row.sends_to.begin(), row.sends_to.end(),
              [&](int a, int b) { return distance(i, a) < distance(i, b); });
    std::sort(row.receives.begin(), row.receives.end(), [&](const auto& a, const auto& b) {
      return distance(a.rank, i) < distance(b.rank, i);
    });
  }
  return matrix;
}

const std::vector<TopologyInfo>& topologies() {
  static const std::vector<TopologyInfo> table{
      {"ring", "two neighbours, weights 1/3 (n = 2: 1/2)", ring_topology},
      {"full", "everyone, weights 1/n: exact averaging in one round", full_topology},
      {"static-exp", "from i + 2^k for every k, weights 1/(ceil(log2 n) + 1); directed",
       static_exponential_topology},
      {"one-peer-exp", "one peer a round, i + 2^(round mod ceil(log2 n)), weights 1/2; directed",
       one_peer_exponential_topology},
  };
  return table;
}

Topology make_topology(std::string_view name, int ranks) {
  require(ranks >= 1, "a topology has at least one rank");
  return find_named(topologies(), name, "topology").make(ranks);
}

}  // namespace trainyard
