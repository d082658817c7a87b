// Gossip graphs as mixing matrices W(k): x_new = W x, and W[i][j] is the weight that rank i gives
// to what it receives from rank j (catalogue §0). A time-varying graph is a cycle of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What rank i does in one round: x_i ← self_weight x_i + Σ weight · x_rank over `receives`.
struct MixingRow {
  struct Neighbour {
    int rank;
    double weight;
  };
  double self_weight = 1.0;
  // Both lists go by offset rounds: the k-th message of every rank goes to the same distance
  // around the circle, so that no two of a round meet at one port (catalogue §1.2). Ring gossip in
  // index order takes 1.5 times as long.
  std::vector<Neighbour> receives;  // by ascending (i - rank) mod n: as the senders' rounds arrive
  std::vector<int> sends_to;        // by ascending (rank - i) mod n
};

/// W(k) of one round, row by row.
using MixingMatrix = std::vector<MixingRow>;

/// A cycle of mixing matrices: round k uses matrices[k mod period].
struct Topology {
  std::string name;
  std::vector<MixingMatrix> matrices;

  std::size_t period() const { return matrices.size(); }
  const MixingRow& row(std::uint64_t round, int rank) const {
    return matrices[static_cast<std::size_t>(round % period())][static_cast<std::size_t>(rank)];
  }
};

/// One directed use of a link: `to` receives from `from` with `weight` = W[to][from].
struct MixingEdge {
  int to, from;
  double weight;
};
/// A matrix from its off-diagonal entries; the diagonal is what is missing to 1 in each row.
/// Entries with equal ends add up.
MixingMatrix mixing_matrix(int ranks, const std::vector<MixingEdge>& edges);

struct TopologyInfo {
  std::string name;
  std::string summary;  // one line for `list topologies`: rule and weights
  Topology (*make)(int ranks);
};
/// The visible table: one row for each topology.
const std::vector<TopologyInfo>& topologies();

/// Throws UsageError for an unknown name. REQUIRES: ranks ≥ 1.
Topology make_topology(std::string_view name, int ranks);

// One file each. All are doubly stochastic; catalogue §4.3.
Topology ring_topology(int ranks);
Topology full_topology(int ranks);
Topology static_exponential_topology(int ranks);
Topology one_peer_exponential_topology(int ranks);

}  // namespace trainyard
