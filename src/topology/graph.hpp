// Declarations that the files of the topologies share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// Whether every rank reaches every other over the links.
bool connected(int ranks, std::span<const GraphEdge> links);

/// "hypercube: 6 workers are not a power of two; accepted: 1, 2, 4, 8, …" as a UsageError.
[[noreturn]] void refuse_ranks(const std::string& name, int ranks, const std::string& why,
                               const std::string& accepted);

/// Throws RunError where a graph with so many links, one in each direction, finds no room.
void require_links(const std::string& name, int ranks, double links);

/// How often a random graph is drawn again before its topology gives up.
constexpr int most_draws = 1000;

/// ⌈log2 n⌉
int ceil_log2(int ranks);

}  // namespace trainyard
