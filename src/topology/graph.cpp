#include "topology/graph.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"

namespace trainyard {

bool connected(int ranks, std::span<const GraphEdge> links) {
  // Sets of ranks that reach each other; `parent` leads to the set's representative.
  std::vector<int> parent(static_cast<std::size_t>(ranks));
  std::iota(parent.begin(), parent.end(), 0);
  const auto representative = [&](int rank) {
    while (parent[static_cast<std::size_t>(rank)] != rank) {
      int& up = parent[static_cast<std::size_t>(rank)];
      up = parent[static_cast<std::size_t>(up)];  // halves the way for those who come later
      rank = up;
    }
    return rank;
  };
  int sets = ranks;
  for (const GraphEdge& link : links) {
    const int a = representative(link.a);
    const int b = representative(link.b);
    if (a == b) continue;
    parent[static_cast<std::size_t>(a)] = b;
    --sets;
  }
  return sets == 1;
}

namespace {

/// Whether rank 0 reaches all over the cycle's messages, or, backwards, all reach rank 0.
bool reaches_all(const Topology& topology, bool backwards) {
  std::vector<bool> seen(topology.matrices.front().size(), false);
  std::vector<int> waiting{0};
  seen[0] = true;
  const auto visit = [&](int rank) {
    if (seen[static_cast<std::size_t>(rank)]) return;
    seen[static_cast<std::size_t>(rank)] = true;
    waiting.push_back(rank);
  };
  while (!waiting.empty()) {
    const int rank = waiting.back();
    waiting.pop_back();
    for (const MixingMatrix& matrix : topology.matrices) {
      if (backwards) {
        for (const auto& from : matrix[static_cast<std::size_t>(rank)].receives) visit(from.rank);
      } else {
        for (const auto& to : matrix[static_cast<std::size_t>(rank)].sends_to) visit(to.rank);
      }
    }
  }
  return std::ranges::find(seen, false) == seen.end();
}

}  // namespace

bool connected(const Topology& topology) {
  return reaches_all(topology, false) && reaches_all(topology, true);
}

// The lengths of all closed walks have a common divisor. It divides level(a) + 1 − level(b) for
// every message from a to b, level being the distance from rank 0, and these have no larger one.
bool mixes(const Topology& topology) {
  if (!connected(topology)) return false;
  if (topology.period() > 1) return true;
  const MixingMatrix& matrix = topology.matrices.front();
  std::vector<int> level(matrix.size(), -1);
  std::vector<int> waiting{0};
  level[0] = 0;
  int divisor = 0;
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const int rank = waiting[next];
    const MixingRow& row = matrix[static_cast<std::size_t>(rank)];
    if (row.self_weight > 1e-8) return true;  // not what rounding leaves of 1
    for (const auto& to : row.sends_to) {
      int& found = level[static_cast<std::size_t>(to.rank)];
      const int one_more = level[static_cast<std::size_t>(rank)] + 1;
      if (found < 0) {
        found = one_more;
        waiting.push_back(to.rank);
      }
      divisor = std::gcd(divisor, one_more - found);
    }
  }
  return divisor <= 1;  // 0: a single rank
}

void refuse_ranks(const std::string& name, int ranks, const std::string& why,
                  const std::string& accepted) {
  throw UsageError(fmt::format("{}: {} worker{} {}; accepted: {}", name, ranks,
                               ranks == 1 ? "" : "s", why, accepted));
}

void require_links(const std::string& name, int ranks, double links) {
  constexpr double bytes_of_link = 100.0;  // its edge, its two places in the rows, its colour
  require_room(links * bytes_of_link, fmt::format("topology {} over {} ranks", name, ranks));
}

int ceil_log2(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace trainyard
