// Edge colouring after Misra & Gries (A constructive proof of Vizing's theorem, Information
// Processing Letters 41, 1992): link by link, with Δ + 1 colours, repainting what is in the way.
//
// A rank has at most Δ links, so of Δ + 1 colours one is free at it: none of its links has it. Let
// the link (u, v) be still without. A fan of u is a row of neighbours v = f_0, f_1, …, f_k in which
// the colour of (u, f_{j+1}) is free at f_j. Its links can be turned: (u, f_j) takes the colour of
// (u, f_{j+1}), for all j < k, and then it is (u, f_k) that has none. So it is enough to find one
// f_k at which some colour is free that is free at u as well. Take the longest fan, a colour c that
// is free at u and d that is free at its end. The links of colours c and d form paths and circles;
// the path that starts at u with d is repainted, c for d and d for c, and now d is free at u. Misra
// and Gries show that some beginning f_0 … f_w of the fan is still a fan then and has d free at its
// end: if the path does not come to the fan, all of it; else that before the link that was d. Turn
// it, and paint (u, f_w) with d.
//
// Whether Δ colours would do is NP-complete to tell (Holyer 1981), but often a simpler step finds
// that they do, and is tried first: among the first Δ colours, one that is free at u and at v; or α
// free at u and β free at v, and the path of both colours that starts at v with α is repainted,
// unless it ends at u. In a bipartite graph it never does, since it comes to u's side by links of
// colour α, which u does not have: so these need Δ (König 1916). Complete graphs of an even number
// of ranks get by with Δ as well, as far as anyone looked (60 ranks).
#include "trainyard/topology/edge_colouring.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

class Colouring {
 public:
  Colouring(int ranks, int degree)
      : degree_(degree), partner_(at(ranks), std::vector<int>(at(degree) + 1, nobody)) {}

  void insert(int u, int v) {
    if (!insert_simply(u, v)) insert_by_fan(u, v);
  }

  /// The other end of the rank's link of that colour.
  int partner(int rank, int colour) const { return partner_[at(rank)][at(colour)]; }

  static constexpr int nobody = -1;

 private:
  bool is_free(int rank, int colour) const { return partner(rank, colour) == nobody; }

  int first_free(int rank) const {
    int colour = 0;
    while (!is_free(rank, colour)) ++colour;
    return colour;
  }

  void paint(int a, int b, int colour) {
    partner_[at(a)][at(colour)] = b;
    partner_[at(b)][at(colour)] = a;
  }

  void strip(int a, int b, int colour) {
    partner_[at(a)][at(colour)] = nobody;
    partner_[at(b)][at(colour)] = nobody;
  }

  /// REQUIRES: they are linked, and the link has a colour.
  int colour_of(int a, int b) const {
    const auto found = std::ranges::find(partner_[at(a)], b);
    return static_cast<int>(found - partner_[at(a)].begin());
  }

  /// The ranks along the links of two colours, from `rank` on, the first of `colour`.
  std::vector<int> path_from(int rank, int colour, int other) const {
    std::vector<int> path{rank};
    while ((rank = partner(rank, colour)) != nobody) {
      path.push_back(rank);
      std::swap(colour, other);
    }
    return path;
  }

  /// Exchanges the two colours along that path. REQUIRES: `other` is free where it begins.
  void repaint(const std::vector<int>& path, int colour, int other) {
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      strip(path[k], path[k + 1], k % 2 == 0 ? colour : other);
    }
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      paint(path[k], path[k + 1], k % 2 == 0 ? other : colour);
    }
  }

  /// Among the first Δ colours; false where no single path makes one of them free at both ends.
  bool insert_simply(int u, int v) {
    for (int colour = 0; colour < degree_; ++colour) {
      if (!is_free(u, colour) || !is_free(v, colour)) continue;
      paint(u, v, colour);
      return true;
    }
    for (int alpha = 0; alpha < degree_; ++alpha) {
      if (!is_free(u, alpha)) continue;
      for (int beta = 0; beta < degree_; ++beta) {
        if (!is_free(v, beta)) continue;
        const std::vector<int> path = path_from(v, alpha, beta);
        if (path.back() == u) continue;
        repaint(path, alpha, beta);
        paint(u, v, alpha);
        return true;
      }
    }
    return false;
  }

  std::vector<int> longest_fan(int u, int v) const {
    std::vector<int> fan{v};
    const auto follows = [&](int neighbour, int colour) {
      return neighbour != nobody && is_free(fan.back(), colour) &&
             std::ranges::find(fan, neighbour) == fan.end();
    };
    for (int colour = 0; colour <= degree_; ++colour) {
      if (!follows(partner(u, colour), colour)) continue;
      fan.push_back(partner(u, colour));
      colour = -1;  // what follows the new end may have any colour
    }
    return fan;
  }

  /// How much of the fan, up to a rank at which d is free, is still one.
  std::size_t length_to_turn(int u, const std::vector<int>& fan, int d) const {
    for (std::size_t k = 0; k < fan.size(); ++k) {
      if (is_free(fan[k], d)) return k + 1;
      if (k + 1 < fan.size() && !is_free(fan[k], colour_of(u, fan[k + 1]))) break;
    }
    throw InternalError("some beginning of a fan can be turned");
  }

  void insert_by_fan(int u, int v) {
    const std::vector<int> fan = longest_fan(u, v);
    const int c = first_free(u);
    const int d = first_free(fan.back());
    repaint(path_from(u, d, c), d, c);
    const std::size_t length = length_to_turn(u, fan, d);
    for (std::size_t k = 0; k + 1 < length; ++k) {
      const int colour = colour_of(u, fan[k + 1]);
      strip(u, fan[k + 1], colour);
      paint(u, fan[k], colour);
    }
    paint(u, fan[length - 1], d);
  }

  int degree_;
  std::vector<std::vector<int>> partner_;  // a rank, a colour: the other end of that link
};

}  // namespace

std::vector<std::vector<GraphEdge>> matchings_of(int ranks, std::span<const GraphEdge> links) {
  if (links.empty()) return {};
  std::vector<int> degrees(at(ranks), 0);
  for (const auto& [a, b] : links) {
    ++degrees[at(a)];
    ++degrees[at(b)];
  }
  const int degree = *std::ranges::max_element(degrees);
  Colouring colouring(ranks, degree);
  for (const auto& [a, b] : links) colouring.insert(a, b);
  std::vector<std::vector<GraphEdge>> matchings;
  for (int colour = 0; colour <= degree; ++colour) {
    std::vector<GraphEdge> matching;
    for (int a = 0; a < ranks; ++a) {
      if (colouring.partner(a, colour) > a) matching.push_back({a, colouring.partner(a, colour)});
    }
    if (!matching.empty()) matchings.push_back(std::move(matching));
  }
  return matchings;
}

}  // namespace trainyard
