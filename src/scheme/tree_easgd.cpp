// Elastic averaging over a tree (Zhang's thesis, New York University 2016, chapter 6; catalogue
// §4.1): no rank is talked to by more than its parent and its children. Worker 0 is the root, and
// worker i's parent is ⌊(i − 1) / d⌋, d being the fan-out. Every τ_up steps a worker sends its
// replica to its parent, every τ_down steps to its children; whoever receives a replica x_j moves
// towards it, and the sender does not know:
//   x_i ← x_i + a (x_j − x_i),  a = β / (neighbours of i + 1),
// and at each step x_i ← x_i − γ g_i(x_i). Nobody waits for anybody. Only the receiver moves, so
// Σ x_i is not conserved; where all agree, they stay.
//
// The order is the survey's (Langer, He, Rahayu & Xue, TPDS 2020): receive, then take the gradient
// where that has led, step, and send. What arrives while a worker computes is kept until its step
// is done and its replicas are sent, so that every gradient is the one at the replica that it is
// applied to.
//
// Periods differ by level, as in the thesis: an edge to a child l levels above the deepest one has
// G^l τ_up and G^l τ_down, with G the growth. So τ_up = τ_down = 10, G = 10 are her periods of 10
// between leaves and their parents and 100 above them; τ_up = 8, τ_down = 80, G = 1 her other
// choice, quick upward and slow downward. (Periods node by node would take a list, and a
// hyperparameter is a number.)
//
// Two choices of ours. Every node of the tree computes, while in the thesis only leaves do, so that
// no worker is there for averaging alone; the model is the mean of all. And a replica is sent only
// when the one before has arrived, which the neighbour says at once, while it computes, with an
// empty message: on a network that is slower than the periods ask for, replicas would pile up and
// come ever later.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

struct Neighbour {
  int rank = 0;
  std::uint64_t period = 1;  // steps from one replica that goes there to the next
  bool has_taken = true;     // what was sent there last
};

int parent_of(int rank, std::int64_t fan_out) {
  return static_cast<int>((rank - 1) / fan_out);
}

/// Levels below the root.
int depth_of(int rank, std::int64_t fan_out) {
  return rank == 0 ? 0 : 1 + depth_of(parent_of(rank, fan_out), fan_out);
}

std::uint64_t whole_steps(double steps) {
  constexpr double longest = 1e18;  // nobody takes as many
  return static_cast<std::uint64_t>(std::min(steps, longest));
}

/// The tree over ranks 0 .. workers − 1 and what its edges carry how often.
class Tree {
 public:
  explicit Tree(const Worker& worker, int workers)
      : workers_(workers),
        fan_out_(static_cast<std::int64_t>(worker.hyperparameter("fan-out"))),
        up_(worker.hyperparameter("period-up")),
        down_(worker.hyperparameter("period-down")),
        growth_(worker.hyperparameter("period-growth")),
        deepest_(depth_of(workers - 1, fan_out_)) {}

  /// The parent first.
  std::vector<Neighbour> neighbours_of(int rank) const {
    std::vector<Neighbour> neighbours;
    if (rank > 0) neighbours.push_back({parent_of(rank, fan_out_), period(up_, rank)});
    for (std::int64_t child = rank * fan_out_ + 1; child <= (rank + 1) * fan_out_; ++child) {
      if (child >= workers_) break;
      const auto to = static_cast<int>(child);
      neighbours.push_back({to, period(down_, to)});
    }
    return neighbours;
  }

 private:
  /// The period of the edge between `child` and its parent.
  std::uint64_t period(double at_leaves, int child) const {
    return whole_steps(at_leaves * std::pow(growth_, deepest_ - depth_of(child, fan_out_)));
  }

  int workers_;
  std::int64_t fan_out_;
  double up_, down_, growth_;
  int deepest_;
};

/// Replicas that have arrived, in that order. Its memory stays.
class Inbox {
 public:
  void put(ConstVector replica) {
    if (count_ == replicas_.size()) replicas_.emplace_back(replica.scalar(), replica.size());
    kernels::copy(replica, replicas_[count_].view());
    ++count_;
  }
  /// model ← model + a (replica − model), of one after the other.
  void draw(double elasticity, Vector model) {
    for (std::size_t i = 0; i < count_; ++i) {
      kernels::move_towards(elasticity, replicas_[i].view(), model);
    }
    count_ = 0;
  }

 private:
  std::vector<VectorBuffer> replicas_;
  std::size_t count_ = 0;
};

constexpr std::uint64_t replica_tag = 0, taken_tag = 1;

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  std::vector<Neighbour> neighbours = Tree(worker, comm.workers()).neighbours_of(comm.rank());
  const double elasticity =
      worker.hyperparameter("moving-rate") / static_cast<double>(neighbours.size() + 1);
  Inbox inbox;
  const auto take = [&](const Message& message) {
    if (message.tag() == taken_tag) {
      std::ranges::find(neighbours, message.from(), &Neighbour::rank)->has_taken = true;
      return;
    }
    inbox.put(message.vector());
    comm.send(message.from(), Vector(), taken_tag);
  };
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    worker.apply(gradients.compute(take));
    for (Neighbour& neighbour : neighbours) {
      if ((worker.step() + 1) % neighbour.period != 0 || !neighbour.has_taken) continue;
      comm.send(neighbour.rank, worker.replica(), replica_tag);
      neighbour.has_taken = false;
    }
    inbox.draw(elasticity, worker.replica());
  }
}

HyperparameterInfo steps_between(std::string name, std::string help, double fallback) {
  return {.name = std::move(name),
          .argument = "TAU",
          .help = std::move(help),
          .fallback = fallback,
          .low = 1,
          .high = 1e12,
          .whole = true};
}

/// The periods of the edges at the root are multiples of all others. As doubles: whole ones are
/// exact up to 2^53, and beyond it nobody looks.
std::uint64_t cycle(int workers, const Hyperparameters& values) {
  const auto fan_out = static_cast<std::int64_t>(hyperparameter(values, "fan-out"));
  const double up = hyperparameter(values, "period-up");
  const double down = hyperparameter(values, "period-down");
  const double growth = hyperparameter(values, "period-growth");
  const auto divisor = static_cast<double>(
      std::gcd(static_cast<std::uint64_t>(up), static_cast<std::uint64_t>(down)));
  const int deepest = depth_of(workers - 1, fan_out);
  if (deepest == 0) return 1;  // no edges
  return whole_steps(up / divisor * down * std::pow(growth, deepest - 1));
}

}  // namespace

Scheme tree_easgd_scheme() {
  return {
      .name = "tree-easgd",
      .summary = "replicas draw each other along the edges of a tree, whoever receives moves",
      .step = "γ × own gradient",
      .cost = {.formula = "c; nobody waits",
               .rate = "not known",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Zhang 2016; Langer et al. 2020; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .cycle = cycle, .outlives_worker = true},
      .optimizers =
          {.range = OptimizerRange::plain,
           .no_l1 =
               "draws replicas to one another by differences, most of them not workers' own steps"},
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
                                        80),
                          {.name = "period-growth",
                           .argument = "G",
                           .help = "how many times as long both periods are with each level "
                                   "away from the deepest leaves",
                           .fallback = 1,
                           .low = 1,
                           .high = 1e6,
                           .whole = true}},
      .worker = work};
}

}  // namespace trainyard
