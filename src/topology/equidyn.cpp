// EquiDyn: one message a rank and round, over a distance that all ranks draw together; the mean
// squared disagreement shrinks by a constant a round whatever n is. η = ½: a round multiplies its
// root by √((1 − 1/n)/2) < 0.7072 in the directed form, on average (with the η = 1 of the published
// code by √(1 − 2/n), which is no gain at all for many ranks).
//
// Draws repeat after 256 rounds. By then a cycle has contracted disagreement by 0.71^256 ≈ 10^-38,
// the undirected form by less than 0.8^256 ≈ 10^-25: nothing is left on which the repetition could
// act. In exchange the graph is there before the run, the same on every worker at any round, and a
// step allocates nothing.
#include "trainyard/base/random.hpp"

#include "topology/equitopo.hpp"

namespace trainyard {

namespace {

constexpr double eta = 0.5;

double weight_of_peer(int ranks) {
  return eta * (ranks - 1) / ranks;
}

int draw(RandomStream& stream, int low, int below) {
  return low + static_cast<int>(stream.below(static_cast<std::uint64_t>(below - low)));
}

}  // namespace

MixingMatrix directed_equidyn_matrix(int ranks, int distance) {
  std::vector<MixingEdge> edges;
  edges.reserve(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) {
    edges.push_back({i, (i + distance) % ranks, weight_of_peer(ranks)});
  }
  return mixing_matrix(ranks, edges);
}

MixingMatrix undirected_equidyn_matrix(int ranks, int distance, int start) {
  std::vector<bool> taken(static_cast<std::size_t>(ranks), false);
  std::vector<MixingEdge> edges;
  for (int k = 0; k < ranks; ++k) {
    const int i = (start + k) % ranks;
    const int peer = (i + distance) % ranks;
    if (taken[static_cast<std::size_t>(i)] || taken[static_cast<std::size_t>(peer)]) continue;
    taken[static_cast<std::size_t>(i)] = taken[static_cast<std::size_t>(peer)] = true;
    edges.push_back({i, peer, weight_of_peer(ranks)});
    edges.push_back({peer, i, weight_of_peer(ranks)});
  }
  return mixing_matrix(ranks, edges);
}

namespace {

Topology make(const TopologyRequest& request, bool directed) {
  const int n = request.ranks;
  if (n == 1) return {"", {mixing_matrix(1, {})}};
  Topology topology;
  RandomStream stream(request.seed, Purpose::topology);
  for (int k = 0; k < equidyn_cycle; ++k) {
    const int distance = draw(stream, 1, n);
    topology.matrices.push_back(directed
                                    ? directed_equidyn_matrix(n, distance)
                                    : undirected_equidyn_matrix(n, distance, draw(stream, 0, n)));
  }
  return topology;
}

}  // namespace

TopologyInfo od_equidyn_topology() {
  return {.name = "od-equidyn",
          .summary = "one peer a round at a random distance, the same for all; directed; by --seed",
          .make = [](const TopologyRequest& request) { return make(request, true); }};
}

TopologyInfo ou_equidyn_topology() {
  return {.name = "ou-equidyn",
          .summary = "random pairs a round, all at one random distance; by --seed",
          .make = [](const TopologyRequest& request) { return make(request, false); }};
}

}  // namespace trainyard
