// RelaySum on trees: models are not averaged but relayed (Vogels, He, Koloskova, Lin, Karimireddy,
// Stich & Jaggi, NeurIPS 2021, Algorithm 1, RelaySGD). What worker i tells neighbour j is the sum
// of everything on i's side of their edge: its own model and what its other neighbours told it in
// the step before,
//   m_{i→j} = x_i + Σ_{k≠j} m_{k→i},  c_{i→j} = 1 + Σ_{k≠j} c_{k→i}  (how many models that are),
//   x_i ← (x_i + Σ_j m_{j→i}) / (1 + Σ_j c_{j→i}).
// In a tree nothing is counted twice, and after as many steps as the tree is wide every worker
// takes the mean over all of them, each as old as its distance: a uniform average with delays,
// where gossip has an average that is weighted by distance. Heterogeneous data do not bias it.
//
// The tree is a breadth-first one from worker 0 over the links of --topology.
//
// A message is the vector and its count: one float more than the model.
#include <vector>

#include <fmt/format.h>

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// A sum of models, and in its last place their number.
class Relayed {
 public:
  /// In `values`, one number longer than a model, which outlive it.
  explicit Relayed(Vector values) : values_(values) {}

  Vector all() const { return values_; }
  Vector sum() const { return values_.first(values_.size() - 1); }
  double count() const { return last(values_); }
  void set_to(ConstVector model) const {
    kernels::copy(model, sum());
    set_last(values_, 1.0);
  }

 private:
  Vector values_;
};

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  const std::vector<int> neighbours = receivers(worker.next_round());
  std::vector<Relayed> told;  // by each of them, in the step before
  told.reserve(neighbours.size());
  const std::size_t length = worker.replica().size() + 1;
  for (const int neighbour : neighbours) {
    told.emplace_back(worker.keep(fmt::format("m({})", neighbour), length));
  }
  VectorBuffer everything_values(worker.replica().scalar(), length);
  VectorBuffer others_values(worker.replica().scalar(), length);
  const Relayed everything(everything_values.view()), others(others_values.view());

  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    everything.set_to(worker.replica());
    for (const Relayed& each : told) kernels::add(each.all(), everything.all());
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      kernels::copy(everything.all(), others.all());
      kernels::axpy(-1.0, told[k].all(), others.all());
      comm.send(neighbours[k], others.all());
    }
    everything.set_to(worker.replica());
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      comm.receive_into(neighbours[k], told[k].all());
      kernels::add(told[k].all(), everything.all());
    }
    kernels::scaled_copy(1.0 / everything.count(), everything.sum(), worker.replica());
  }
}

}  // namespace

Scheme relay_sum_scheme() {
  return {.name = "relay-sum",
          .summary = "sums of models relayed along a tree: a uniform average, with delays",
          .step = "γ × own gradient, averaged uniformly with delays: as γ/(1 + their mean) without",
          .cost = {.formula =
                       "c + Δ(α + t) or more: in a tree degrees differ, and some wait for others",
                   .rate = "1/ε + σ²/(nε²) + Cσ/ε^{3/2}, without ς; C grows with the tree's width"},
          .source = "Vogels et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .takes = {"topology"},
          .graphs = {.rounds =
                         [](const Topology& graph, const Hyperparameters&, std::uint64_t) {
                           return Topology{"tree", {spanning_tree(graph)}};
                         }},
          .worker = work};
}

}  // namespace trainyard
