// Mixing matrices from edges, and the order in which their messages go.
//
// A rank's messages queue up in the order of `sends_to`, and a port takes one at a time. If the
// k-th message of a sender is the k-th of its receiver, for all of them, nobody ever waits and a
// round lasts Δ(α + t), Δ the largest degree. In circulant graphs, where everybody talks to the
// same distances, ordering by distance does it. Other graphs whose degrees are equal get an edge
// colouring of the bipartite graph of senders and receivers: Δ colours are enough (König 1916), so
// that every colour is a permutation. Where degrees differ no order does it, since whoever has few
// messages sends before their turn; by distance is as good as by colour there.
#include <algorithm>
#include <numeric>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// The entries of a matrix as edges of the graph of senders and receivers, with colours from 0.
class EdgeColouring {
 public:
  explicit EdgeColouring(const MixingMatrix& matrix)
      : sent_(matrix.size()), received_(matrix.size()) {
    std::size_t degree = 0;
    for (const MixingRow& row : matrix) {
      degree = std::max({degree, row.sends_to.size(), row.receives.size()});
    }
    in_use_.resize(degree);
    // Distance by distance: what can stay an offset round does.
    for (std::size_t k = 0; k < degree; ++k) {
      for (std::size_t from = 0; from < matrix.size(); ++from) {
        if (k < matrix[from].sends_to.size())
          insert(static_cast<int>(from), matrix[from].sends_to[k].rank);
      }
    }
  }

  struct Edge {
    int from, to, colour;
  };
  /// By ascending colour.
  std::vector<Edge> sent_by(int rank) const { return sorted(sent_[at(rank)]); }
  std::vector<Edge> received_by(int rank) const { return sorted(received_[at(rank)]); }

 private:
  using Edges = std::vector<int>;  // indices into edges_

  std::vector<Edge> sorted(const Edges& indices) const {
    std::vector<Edge> result;
    for (const int edge : indices) result.push_back(edges_[at(edge)]);
    std::ranges::sort(result, {}, &Edge::colour);
    return result;
  }

  void insert(int from, int to) {
    int free_at_both = first_free({&sent_[at(from)], &received_[at(to)]});
    if (free_at_both < 0) {
      free_at_both = first_free({&sent_[at(from)]});
      swap_from_receiver(to, free_at_both, first_free({&received_[at(to)]}));
    }
    const int edge = static_cast<int>(edges_.size());
    edges_.push_back({from, to, free_at_both});
    sent_[at(from)].push_back(edge);
    received_[at(to)].push_back(edge);
  }

  /// The lowest colour that none of these edges has; -1 when they have them all.
  int first_free(std::initializer_list<const Edges*> lists) {
    ++stamp_;
    for (const Edges* list : lists) {
      for (const int edge : *list) in_use_[at(edges_[at(edge)].colour)] = stamp_;
    }
    const auto found = std::ranges::find_if(in_use_, [&](int stamp) { return stamp != stamp_; });
    return found == in_use_.end() ? -1 : static_cast<int>(found - in_use_.begin());
  }

  /// Makes `wanted` free at the receiver `to`, where `other` is free, by exchanging the two colours
  /// along the path of edges that have them. The path comes back to receivers by `other` only, so
  /// it never ends at a sender where `wanted` is free.
  void swap_from_receiver(int to, int wanted, int other) {
    std::vector<int> path;
    bool at_receiver = true;
    int rank = to;
    int colour = wanted;
    while (true) {
      const Edges& here = at_receiver ? received_[at(rank)] : sent_[at(rank)];
      const auto next =
          std::ranges::find_if(here, [&](int edge) { return edges_[at(edge)].colour == colour; });
      if (next == here.end()) break;
      path.push_back(*next);
      rank = at_receiver ? edges_[at(*next)].from : edges_[at(*next)].to;
      at_receiver = !at_receiver;
      colour = wanted + other - colour;
    }
    for (const int edge : path) edges_[at(edge)].colour = wanted + other - edges_[at(edge)].colour;
  }

  std::vector<Edge> edges_;
  std::vector<Edges> sent_, received_;
  std::vector<int> in_use_;  // a colour: the stamp of the last look that met it
  int stamp_ = 0;
};

void order_by_distance(MixingMatrix& matrix) {
  const int ranks = static_cast<int>(matrix.size());
  const auto distance = [ranks](int from, int to) { return (to - from + ranks) % ranks; };
  for (int i = 0; i < ranks; ++i) {
    MixingRow& row = matrix[at(i)];
    std::ranges::sort(row.sends_to, {}, [&](const auto& to) { return distance(i, to.rank); });
    std::ranges::sort(row.receives, {}, [&](const auto& from) { return distance(from.rank, i); });
  }
}

void order_by_colour(MixingMatrix& matrix) {
  const EdgeColouring colouring(matrix);
  std::vector<double> weight_of(matrix.size());  // of one side of a row
  const auto take_weights = [&](std::vector<MixingRow::Neighbour>& neighbours) {
    for (const auto& neighbour : neighbours) weight_of[at(neighbour.rank)] = neighbour.weight;
    neighbours.clear();
  };
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    MixingRow& row = matrix[i];
    take_weights(row.receives);
    for (const auto& edge : colouring.received_by(static_cast<int>(i))) {
      row.receives.push_back({edge.from, weight_of[at(edge.from)]});
    }
    take_weights(row.sends_to);
    for (const auto& edge : colouring.sent_by(static_cast<int>(i))) {
      row.sends_to.push_back({edge.to, weight_of[at(edge.to)]});
    }
  }
}

/// Whether whoever exchanges a message has as many of them as the other end.
bool equal_degrees(const MixingMatrix& matrix) {
  return std::ranges::all_of(matrix, [&](const MixingRow& row) {
    return std::ranges::all_of(row.sends_to, [&](const auto& to) {
      return matrix[at(to.rank)].receives.size() == row.sends_to.size();
    });
  });
}

}  // namespace

std::vector<int> receivers(const MixingRow& row) {
  std::vector<int> ranks;
  for (const auto& to : row.sends_to) ranks.push_back(to.rank);
  return ranks;
}

MixingMatrix mixing_matrix(int ranks, const std::vector<MixingEdge>& edges) {
  std::vector<MixingEdge> entries;
  entries.reserve(edges.size());
  for (const MixingEdge& edge : edges) {
    if (edge.to != edge.from) entries.push_back(edge);
  }
  const auto ends = [](const MixingEdge& edge) { return std::pair(edge.to, edge.from); };
  std::ranges::stable_sort(entries, {}, ends);  // stable, so that sums keep their order

  MixingMatrix matrix(at(ranks));
  for (std::size_t e = 0; e < entries.size();) {
    const auto [to, from, first_weight] = entries[e];
    double weight = first_weight;
    for (++e; e < entries.size() && ends(entries[e]) == std::pair(to, from); ++e) {
      weight += entries[e].weight;
    }
    matrix[at(to)].receives.push_back({from, weight});
    matrix[at(to)].self_weight -= weight;
    matrix[at(from)].sends_to.push_back({to, weight});
  }
  order_by_distance(matrix);
  if (equal_degrees(matrix) && !lockstep_rounds(matrix)) order_by_colour(matrix);
  return matrix;
}

MixingMatrix metropolis_hastings(int ranks, std::span<const GraphEdge> links) {
  std::vector<std::pair<int, int>> pairs;
  for (const GraphEdge& link : links) {
    if (link.a != link.b) pairs.emplace_back(std::min(link.a, link.b), std::max(link.a, link.b));
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<int> degrees(at(ranks), 0);
  for (const auto& [a, b] : pairs) {
    ++degrees[at(a)];
    ++degrees[at(b)];
  }
  std::vector<MixingEdge> edges;
  for (const auto& [a, b] : pairs) {
    const double weight = 1.0 / (1 + std::max(degrees[at(a)], degrees[at(b)]));
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
  }
  return mixing_matrix(ranks, edges);
}

MixingMatrix equal_shares(int ranks, const std::vector<MixingEdge>& edges) {
  MixingMatrix matrix = mixing_matrix(ranks, edges);
  const auto share = [&](int rank) {
    return 1.0 / static_cast<double>(matrix[at(rank)].sends_to.size() + 1);
  };
  for (int i = 0; i < ranks; ++i) {
    matrix[at(i)].self_weight = share(i);
    for (auto& from : matrix[at(i)].receives) from.weight = share(from.rank);
    for (auto& to : matrix[at(i)].sends_to) to.weight = share(i);
  }
  return matrix;
}

std::vector<double> mixed(const MixingMatrix& matrix, std::span<const double> values) {
  std::vector<double> next(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    next[i] = matrix[i].self_weight * values[i];
    for (const auto& from : matrix[i].receives) next[i] += from.weight * values[at(from.rank)];
  }
  return next;
}

std::optional<std::size_t> lockstep_rounds(const MixingMatrix& matrix) {
  std::size_t rounds = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    rounds = std::max({rounds, matrix[i].sends_to.size(), matrix[i].receives.size()});
    for (std::size_t k = 0; k < matrix[i].sends_to.size(); ++k) {
      const auto& receives = matrix[at(matrix[i].sends_to[k].rank)].receives;
      if (k >= receives.size() || receives[k].rank != static_cast<int>(i)) return std::nullopt;
    }
  }
  return rounds;
}

}  // namespace trainyard
