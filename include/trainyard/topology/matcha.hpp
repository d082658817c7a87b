// MATCHA: gossip that uses each link of a graph only now and then, and the important ones most
// often (Wang, Sahu, Yang, Joshi & Kar, ICC 2019; catalogue §4.2).
//
// The links are coloured so that no two of a colour meet (edge_colouring.hpp): each colour is a
// matching, whose exchanges all go on at once. Matching j takes part in a round with probability
// p_j, on its own; a budget C says how many of them do on average, C of all. What a round applies
// is
//   W = I − a Σ_{j active} L_j,  L_j the Laplacian of matching j.
// The p_j make the expected graph as well connected as the budget allows: they maximise λ₂(Σ p_j
// L_j). The a minimises what a round leaves of the mean squared distance from consensus,
//   λ_max(I − 2a L̄ + a² (L̄² + 2 Σ p_j (1 − p_j) L_j) − 11ᵀ/n),  L̄ = Σ p_j L_j.
// That is for all rounds together. In a single one a times the number of a rank's links may well be
// above 1, so that W_ii is negative: in one round of four on a ring of 8 with half the budget, in
// four of five on a star. W stays doubly stochastic but for its signs, and keeps the mean.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

struct MatchaPlan {
  std::vector<std::vector<GraphEdge>> matchings;
  std::vector<double> probabilities;  // p_j
  double step = 0.0;                  // a
  double contraction = 0.0;           // of the mean squared distance, a round, at most
};

/// Links both ways between all that `graph` links in any way, as matchings_of() has them: at most Δ
/// + 1 matchings. REQUIRES: 0 < budget ≤ 1; the graph is connected. Throws UsageError
/// beyond 1024 ranks, of which a plan takes half a minute.
MatchaPlan plan_matcha(const Topology& graph, double budget);

/// 256 rounds drawn from the plan, and then the same again. Drawn anew until they connect all ranks
/// that the plan's matchings connect, and twice as many where a small budget makes that unlikely.
Topology drawn_rounds(const MatchaPlan& plan, int ranks, std::uint64_t seed);

}  // namespace trainyard
