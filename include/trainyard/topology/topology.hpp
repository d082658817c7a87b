// Gossip graphs as mixing matrices W(k): x_new = W x, and W[i][j] is the weight that rank i gives
// to what it receives from rank j (catalogue §0). A time-varying graph is a cycle of matrices.
//
// Threads: any; a topology is a value that nobody changes once it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// One round of rank i: x_i ← self_weight x_i + Σ weight · x_rank over `receives`.
struct MixingRow {
  struct Neighbour {
    int rank;
    double weight;
  };
  double self_weight = 1.0;  // what those of `receives` leave of 1, but in equal_shares()
  // In the order of their messages. Where the graph lets them, messages go in lockstep: the k-th
  // that a rank sends is the k-th that its receiver takes, so that no two meet at one port
  // (catalogue §1.2). Ring gossip in the order of the ranks takes 1.5 times as long.
  std::vector<Neighbour> receives;  // weight = W[i][rank]
  std::vector<Neighbour> sends_to;  // weight = W[rank][i], what the receiver gives to it
};

/// The ranks that get something from it, in the order of its messages.
std::vector<int> receivers(const MixingRow& row);

/// W(k) of one round, row by row.
using MixingMatrix = std::vector<MixingRow>;

/// The place of a rank in a drawing; x to the right, y downwards, in any unit.
struct Place {
  double x = 0.0, y = 0.0;
};

/// A cycle of mixing matrices: round k uses matrices[k mod period].
struct Topology {
  std::string name;
  std::vector<MixingMatrix> matrices;
  std::vector<Place> places{};  // of all ranks; empty: around a circle

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
/// Entries with equal ends add up. Messages are ordered by distance around the circle, which is
/// lockstep in every circulant graph; other graphs of equal degrees get an edge colouring (König
/// 1916), which is.
MixingMatrix mixing_matrix(int ranks, const std::vector<MixingEdge>& edges);

/// Two ranks that exchange in both directions.
struct GraphEdge {
  int a, b;
};
/// Metropolis-Hastings weights of an undirected graph: w_ij = 1 / (1 + max(d_i, d_j)); symmetric
/// and doubly stochastic on every graph. A link that is there twice counts once, one from a rank to
/// itself not at all.
MixingMatrix metropolis_hastings(int ranks, std::span<const GraphEdge> links);

/// The matrix of push-sum over a directed graph (the edges' weights are not used): rank j gives
/// each to whom it sends 1/(out-degree of j + 1) of what it has, and keeps as much. Columns add up
/// to 1, rows need not.
MixingMatrix equal_shares(int ranks, const std::vector<MixingEdge>& edges);

/// Whether everybody hears of everybody, in the end, over the links of all rounds.
bool connected(const Topology& topology);

/// Whether there is a k such that in k rounds something of everybody comes to everybody: connected,
/// and not in step, as two who exchange what they have, all of it, round after round. Looks at the
/// links of a static graph; one that varies is taken to keep something back.
bool mixes(const Topology& topology);

/// A breadth-first tree from rank 0 over the links of all rounds, whichever way they go, with
/// Metropolis-Hastings weights. REQUIRES: they connect all ranks.
MixingMatrix spanning_tree(const Topology& topology);

/// W x. REQUIRES: as many values as ranks.
std::vector<double> mixed(const MixingMatrix& matrix, std::span<const double> values);

/// How many message times α + t a round takes from lock-step on equal links with circuit ports: the
/// largest degree. Empty where messages may wait for each other, as where degrees differ.
std::optional<std::size_t> lockstep_rounds(const MixingMatrix& matrix);

/// The request by which a topology is made.
struct TopologyRequest {
  int ranks = 1;
  std::uint64_t seed = 1;        // of the random ones: Purpose::topology
  std::optional<double> number;  // after the colon: 3 of "base:3"
  std::string file;              // after the colon of "file:PATH"
};

struct TopologyInfo {
  std::string name;
  std::string argument{};        // how what may follow "name:" is written; empty: nothing may
  std::string summary{};         // one line for `list topologies`: rule and weights
  double low = 0.0, high = 0.0;  // accepted for that number; both 0: it is the name of a file
  bool whole = true;
  /// Throws UsageError when no such graph has so many ranks, saying how many it may have.
  Topology (*make)(const TopologyRequest&) = nullptr;

  bool takes_file() const { return !argument.empty() && high == 0.0; }
  std::string typed() const { return argument.empty() ? name : name + ":" + argument; }
};
/// The visible table: one row for each topology.
const std::vector<TopologyInfo>& topologies();

/// `text` is a name, or a name and its argument: "ring", "base:3", "file:office.txt". Throws
/// UsageError for what it does not know, and for a number of ranks that the graph cannot have.
/// Every worker that asks with one seed gets the same. REQUIRES: ranks ≥ 1.
Topology make_topology(std::string_view text, int ranks, std::uint64_t seed);

/// Throws UsageError when `text` is no topology for any number of ranks.
void check_topology(std::string_view text);

}  // namespace trainyard
