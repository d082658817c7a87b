// Topologies of one's own, beside those of the table; and graphs that are a matrix.
//
//   add_topology({.name = "office", .summary = "who sits beside whom"},
//                [](const TopologyRequest& asked) {
//                  return Topology{"", {matrix_of_weights(asked.ranks, weights)}};
//                });
//
// Threads: add_topology() by one, while nothing else is going on; matrix_of_weights() by any.
#pragma once

#include <functional>
#include <span>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// As TopologyInfo::make, with something of its own. Called by any thread.
using TopologyMaker = std::function<Topology(const TopologyRequest&)>;

/// Adds a topology, which every command then knows by its name; in the place of one of the same
/// name that was added before. `make` is called where the row has no function of its own, and
/// throws UsageError for a number of ranks that it cannot have. Throws UsageError for a name that
/// cannot be typed or is there already, and for a row that says neither how it is made nor what it
/// is.
void add_topology(TopologyInfo row, TopologyMaker make = {});

/// W from all of its entries, row by row: weights[i · ranks + j] = W[i][j], what rank i gives to
/// what it receives from j; who sends in which order is mixing_matrix()'s. Throws UsageError unless
/// there are ranks² finite entries, none is negative, and rows and columns add up to 1, to 1e-6:
/// else averaging would move the mean. (digraph:PATH is for push-sum, which needs no such W.)
MixingMatrix matrix_of_weights(int ranks, std::span<const double> weights);

}  // namespace trainyard
