// EquiTopo's matrices for given draws (Song et al., "Communication-efficient topologies for
// decentralized learning with O(1) consensus rate", NeurIPS 2022; catalogue §4.3).
#pragma once

#include <span>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// The mean over m of A_{a_m}, where row i of A_a has (n − 1)/n at i + a and 1/n at i; undirected:
/// the mean of that and its transpose. REQUIRES: 1 ≤ a_m < n, or n = 1 and none.
MixingMatrix equistatic_matrix(int ranks, std::span<const int> distances, bool directed);

/// ½ I + ½ A_a.
MixingMatrix directed_equidyn_matrix(int ranks, int distance);

/// ½ I + ½ (I/n + (n − 1)/n · M), where M exchanges the pairs (i, i + a) that a sweep over
/// i = start, start + 1, … finds both free, and leaves the others alone.
MixingMatrix undirected_equidyn_matrix(int ranks, int distance, int start);

/// After so many rounds the draws repeat.
constexpr int equidyn_cycle = 256;

}  // namespace trainyard
