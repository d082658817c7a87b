// MPCA-SGD (Langer, Hall, He & Rahayu 2018), as far as it can be known from what is published about
// it in the sources (catalogue §4.1): workers train replicas of their own; a master of its own
// averages them over a binomial tree, in the background; the loss has a penalty for being far from
// that average, which is extrapolated along its recent path because it is old when it arrives. How
// far, and when which replica is sent, is our reconstruction:
//
//   x_i ← x_i − γ (g_i(x_i) + μ (x_i − ĉ)),   ĉ = c_k + κ (age / period) (c_k − c_{k−1}).
//
// c_k is the mean of one snapshot of each replica. age counts the worker's steps since its snapshot
// in c_k, period those between its snapshots in c_{k−1} and in c_k: with κ = 1 replicas that move
// evenly are drawn towards where their mean is now. age counts up to two periods, which it never is
// beyond while rounds are of one length: a worker that was held up for long, or a network that has
// become slow, would else be sent far away. c_0 is the initial model; there is no penalty before
// c_1 has come.
//
// Round k of averaging: a worker takes its snapshot when c_{k−1} is there and τ steps have passed
// since the last one, adds to it what its children in the tree have sent, and sends the sum to its
// parent when all have; the mean comes back down the same way. The tree has the master as its root
// and the workers behind it, ⌈log2(n+1)⌉ levels. A communication thread does that while the worker
// computes. Nobody ever waits: on a slow network, or with a slow worker, rounds are rarer. There is
// one round at a time.
//
// The model is the mean of the replicas, which one more round would give the master.
#include <algorithm>
#include <vector>

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// The binomial tree whose root is server 0 and whose other nodes are the workers. Node 0 is the
/// root, node w + 1 worker w; a node's parent is the node without its lowest bit.
struct TreePlace {
  int parent = -1;            // a rank; −1 at the root
  std::vector<int> children;  // ranks, that with the largest subtree first

  explicit TreePlace(const Communicator& comm) {
    const int n = comm.workers();
    const auto rank_of = [&](int node) { return node == 0 ? comm.server(0) : node - 1; };
    const int node = comm.rank() < n ? comm.rank() + 1 : 0;
    if (node > 0) parent = rank_of(node & (node - 1));
    int reach = 1;
    while (reach <= n && (node & reach) == 0) reach *= 2;
    for (reach /= 2; reach >= 1; reach /= 2) {
      if (node + reach <= n) children.push_back(rank_of(node + reach));
    }
  }

  void send_down(Communicator& comm, ConstVector mean) const {
    for (const int child : children) comm.send(child, mean);
  }
};

constexpr double longest_age = 2.0;  // in periods

/// A worker's side of the averaging.
class BackgroundMean {
 public:
  explicit BackgroundMean(Worker& worker)
      : worker_(worker),
        place_(worker.comm()),
        period_(static_cast<std::uint64_t>(worker.hyperparameter("period"))),
        penalty_(worker.hyperparameter("penalty")),
        extrapolation_(worker.hyperparameter("extrapolation")),
        mean_(worker.keep("c", worker.initial_model())),
        mean_before_(worker.keep("c before", worker.replica().size())),
        sum_(worker.keep("sum of snapshots", worker.replica().size())) {}

  /// Takes a message that has arrived, from the parent or a child.
  void take(const Message& message) {
    if (message.from() != place_.parent) {
      kernels::add(message.vector(), sum_);
      ++children_heard_;
      pass_up();
      return;
    }
    kernels::copy(mean_, mean_before_);
    kernels::copy(message.vector(), mean_);
    place_.send_down(worker_.comm(), mean_);
    taken_before_ = taken_;
    taken_ = offered_;
    in_round_ = false;
  }

  /// Adds the penalty of the step that is under way.
  void add_penalty(Vector gradient) const {
    if (taken_ == 0) return;
    const auto age = static_cast<double>(worker_.step() - taken_);
    const auto period = static_cast<double>(taken_ - taken_before_);
    const double ahead = extrapolation_ * std::min(age / period, longest_age);
    kernels::axpy(penalty_, worker_.replica(), gradient);
    kernels::axpy(-penalty_ * (1.0 + ahead), mean_, gradient);
    kernels::axpy(penalty_ * ahead, mean_before_, gradient);
  }

  /// At the end of the step.
  void offer_replica() {
    const std::uint64_t done = worker_.step() + 1;
    if (in_round_ || done - offered_ < period_) return;
    offered_ = done;
    in_round_ = true;
    has_added_ = true;
    kernels::add(worker_.replica(), sum_);
    pass_up();
  }

 private:
  void pass_up() {
    if (!has_added_ || children_heard_ < place_.children.size()) return;
    worker_.comm().send(place_.parent, sum_);
    kernels::set_to_zero(sum_);
    children_heard_ = 0;
    has_added_ = false;
  }

  Worker& worker_;
  const TreePlace place_;
  const std::uint64_t period_;
  const double penalty_, extrapolation_;
  Vector mean_, mean_before_;  // c_k and c_{k−1}
  Vector sum_;                 // of its subtree, as far as it is known in this round
  std::size_t children_heard_ = 0;
  bool has_added_ = false, in_round_ = false;
  // Steps that it had done: at its latest snapshot, and at those in c_k and c_{k−1}.
  std::uint64_t offered_ = 0, taken_ = 0, taken_before_ = 0;
};

void work(Worker& worker) {
  BackgroundMean mean(worker);
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    const auto gradient = gradients.compute([&](const Message& message) { mean.take(message); });
    mean.add_penalty(gradient);
    worker.apply(gradient);
    mean.offer_replica();
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const TreePlace place(comm);
  const Vector mean = server.keep("c", server.dimension());
  std::size_t heard = 0;
  while (const auto message = comm.receive_any()) {
    if (heard == 0) kernels::set_to_zero(mean);
    kernels::add(message->vector(), mean);
    if (++heard < place.children.size()) continue;
    heard = 0;
    kernels::scale(1.0 / comm.workers(), mean);
    place.send_down(comm, mean);
  }
}

/// A replica each, and a master that averages.
Cast replicas_with_master(const CastSetting& setting) {
  return {.workers = setting.workers, .servers = 1, .proxies = 1};
}

}  // namespace

Scheme mpca_sgd_scheme() {
  return {
      .name = "mpca-sgd",
      .summary =
          "a loss with a penalty for being far from the extrapolated mean, which a tree "
          "takes in the background (reconstruction)",
      .step = "γ × own gradient, penalty included",
      .cost = {.formula = "c; nobody waits",
               .rate = "not known",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Langer, Hall, He & Rahayu 2018; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free,
                .no_checkpoint = "has means on their way through its tree between any two steps",
                .outlives_worker = true},
      .cast = replicas_with_master,
      .optimizers =
          {.no_l1 = "has a penalty of its own, for being far from a mean that is extrapolated"},
      .hyperparameters = {period_info,
                          {.name = "penalty",
                           .argument = "MU",
                           .help = "of half the squared distance from the mean, in each worker's "
                                   "loss",
                           .fallback = 0.1,
                           .low = 0.0,
                           .high = 1e6},
                          {.name = "extrapolation",
                           .argument = "KAPPA",
                           .help = "how far the mean is taken to have moved since, as a share of "
                                   "how far it moved before",
                           .fallback = 1.0,
                           .low = 0.0,
                           .high = 100.0}},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
