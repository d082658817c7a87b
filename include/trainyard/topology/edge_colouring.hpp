// The links of a graph as matchings: each gets a colour, and no two of one colour meet at a rank,
// so that the exchanges over all links of a colour go on at once.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// One matching for each colour, none of them empty: at most Δ + 1, Δ the largest degree (Vizing
/// 1964); Δ, which no colouring undercuts, where the graph is bipartite, and mostly elsewhere. The
/// same links in the same order get the same colours. REQUIRES: each link is there once, and none
/// leads from a rank to itself.
std::vector<std::vector<GraphEdge>> matchings_of(int ranks, std::span<const GraphEdge> links);

}  // namespace trainyard
