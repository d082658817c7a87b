// Elastic averaging over a tree (Zhang's thesis, New York University 2016, chapter 6; catalogue
// §4.1): no rank is talked to by more than its parent and its children. Worker 0 is the root, and
// worker i's parent is ⌊(i − 1) / d⌋, d being the fan-out. Every τ_up steps a worker sends its
// replica to its parent, every τ_down steps to its children; whoever receives a replica x_j moves
// towards it, and the sender does not know:
//   x_i ← x_i + a (x_j − x_i),  a = β / (neighbours of i + 1),
// between two steps x_i ← x_i − γ g_i(x_i). Nobody waits for anybody. Only the receiver moves, so
// Σ x_i is not conserved; where all agree, they stay.
//
// Two choices of ours. Every node of the tree computes, while in the thesis only leaves do, so that
// no worker is there for averaging alone; the model is the mean of all. And a replica is sent only
// when the neighbour has taken the one before, which it says with an empty message: on a network
// that is slower than the periods ask for, replicas would pile up and come ever later.
#include <vector>

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

struct Neighbour {
  int rank = 0;
  std::uint64_t period = 1;  // steps from one replica that goes there to the next
  bool has_taken = true;     // what was sent there last
};

std::vector<Neighbour> neighbours_of(const Worker& worker, int rank, int workers) {
  const auto fan_out = static_cast<std::int64_t>(worker.hyperparameter("fan-out"));
  const auto up = static_cast<std::uint64_t>(worker.hyperparameter("period-up"));
  const auto down = static_cast<std::uint64_t>(worker.hyperparameter("period-down"));
  std::vector<Neighbour> neighbours;
  if (rank > 0) neighbours.push_back({static_cast<int>((rank - 1) / fan_out), up});
  for (std::int64_t child = rank * fan_out + 1; child <= (rank + 1) * fan_out; ++child) {
    if (child >= workers) break;
    neighbours.push_back({static_cast<int>(child), down});
  }
  return neighbours;
}

constexpr std::uint64_t replica_tag = 0, taken_tag = 1;

/// Moves towards every replica that has come from there.
void take_replicas(Worker& worker, Neighbour& neighbour, double elasticity) {
  while (const auto message = worker.comm().poll(neighbour.rank)) {
    if (message->tag() == taken_tag) {
      neighbour.has_taken = true;
      continue;
    }
    kernels::move_towards(elasticity, message->vector(), worker.replica());
    worker.comm().send(neighbour.rank, Vector(), taken_tag);
  }
}

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  std::vector<Neighbour> neighbours = neighbours_of(worker, comm.rank(), comm.workers());
  const double elasticity =
      worker.hyperparameter("moving-rate") / static_cast<double>(neighbours.size() + 1);
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    for (Neighbour& neighbour : neighbours) take_replicas(worker, neighbour, elasticity);
    for (Neighbour& neighbour : neighbours) {
      if ((worker.step() + 1) % neighbour.period != 0 || !neighbour.has_taken) continue;
      comm.send(neighbour.rank, worker.replica(), replica_tag);
      neighbour.has_taken = false;
    }
  }
}

HyperparameterInfo steps_between(std::string name, std::string help, double fallback) {
  return {.name = std::move(name),
          .argument = "TAU",
          .help = std::move(help),
          .fallback = fallback,
          .low = 1,
          .high = 1e12,
          .whole = true,
          .cycle = true};
}

}  // namespace

Scheme tree_easgd_scheme() {
  return {.name = "tree-easgd",
          .summary = "replicas draw each other along the edges of a tree, whoever receives moves",
          .step = "γ × own gradient",
          .time = "c; nobody waits",
          .rate = "not known",
          .source = "Zhang 2016; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .pace = Pace::free,
          .optimizers = OptimizerRange::plain,
          .hyperparameters = {moving_rate_info,
                              {.name = "fan-out",
                               .argument = "D",
                               .help = "children of a node",
                               .fallback = 2,
                               .low = 1,
                               .high = 32000,
                               .whole = true},
                              steps_between("period-up",
                                            "steps from one replica for the parent "
                                            "to the next",
                                            8),
                              steps_between("period-down",
                                            "steps from one replica for the "
                                            "children to the next",
                                            80)},
          .worker = work,
          .step_time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }};
}

}  // namespace trainyard
