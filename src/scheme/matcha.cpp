// MATCHA: gossip in which a round uses some of the graph's matchings, drawn anew each time, so that
// communication costs a share of what all of them would, and mixes almost as well (Wang, Sahu,
// Yang, Joshi & Kar, ICC 2019; catalogue §4.2; topology/matcha.hpp has the plan). --topology is the
// base graph, whose links are used both ways, and --budget the share. All workers draw alike, from
// --seed; after some hundred rounds the draws repeat.
#include "trainyard/topology/matcha.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

Topology rounds(const Topology& base, const Hyperparameters& given, std::uint64_t seed) {
  const auto ranks = static_cast<int>(base.matrices.front().size());
  return drawn_rounds(plan_matcha(base, hyperparameter(given, "budget")), ranks, seed);
}

}  // namespace

Scheme matcha_scheme() {
  return {
      .name = "matcha",
      .summary = "gossip over some of the graph's matchings, drawn for each round; links both ways",
      .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
      .cost =
          {.formula =
               "c + (matchings of the round)(α + t), or a little more where some wait for others",
           .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}, ρ² = ‖E[W²] - J‖"},
      .source = "Wang et al. 2019; catalogue 4.2",
      .family = SchemeFamily::decentralised,
      .takes = {"topology"},
      .graphs = {.rounds = rounds, .has_transient = true},
      .hyperparameters = {{.name = "budget",
                           .argument = "C",
                           .help = "share of the graph's matchings that a round uses, on average",
                           .fallback = 0.5,
                           .low = 0.01,
                           .high = 1.0}},
      .worker = gossip_worker};
}

}  // namespace trainyard
