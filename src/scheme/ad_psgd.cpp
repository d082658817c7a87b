// Asynchronous decentralised SGD: a worker that has a gradient averages its model with that of one
// random neighbour, and then applies it (Lian, Zhang, Zhang & Liu, ICML 2018, Algorithm 1;
// catalogue §4.2):
//   g = ∇f_i(x̂_i);  x_i, x_j ← (x_i + x_j)/2;  x_i ← x_i − γg.
// Each averaging is atomic, and none can deadlock, whatever the graph: pairwise_average.hpp says
// how. The neighbour answers while it computes, so its gradient is taken where its model was
// before, and a slow worker slows nobody: who averages waits for two messages and for the ports of
// both, and where the neighbour is just averaging with somebody else, until that is done (in
// `wall`, where a rank is one thread, for the end of the gradient that it is at). Without gradients
// Σx stays what it is. An averaging takes the squared distance from the mean to 1 − 1/(n−1) of what
// it was over a complete graph, and to 1 − (1 − cos 2π/n)/n on a ring.
//
// The graph is undirected: --topology says who may average with whom, and its weights are not used.
#include "trainyard/collective/pairwise_average.hpp"
#include "trainyard/runtime/listening_gradient.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const std::vector<int> neighbours = receivers(worker.next_round());
  PairwiseAverage average(worker.comm(), worker.replica(), neighbours);
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    const auto gradient =
        gradients.compute([&](const Message& message) { average.serve(message); });
    if (!neighbours.empty()) average.with(neighbours[worker.random().below(neighbours.size())]);
    worker.apply(gradient);
    average.serve_waiting();
  }
  average.finish();
}

}  // namespace

Scheme ad_psgd_scheme() {
  return {.name = "ad-psgd",
          .summary = "after each gradient a worker averages with one random neighbour, at any time",
          .step = "γ × own gradient, averaged pair by pair: to first order the mean over workers",
          .cost = {.formula = "c + 2(α + t) or more, by who averages with whom",
                   .rate = "1/ε + σ²/(nε²) once staleness and mixing are paid for"},
          .source = "Lian et al. 2018; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.pace = Pace::free, .rhythm = Rhythm::by_chance},
          .takes = {"topology"},
          .graphs = {.range = GraphRange::static_symmetric},
          .worker = work};
}

}  // namespace trainyard
