// Sandblaster L-BFGS (Dean et al., NIPS 2012, §4.2, algorithm 7.2; catalogue §2.8): a batch method
// whose model is too large, or whose data are too many, for one machine. Three kinds of ranks:
//   n workers compute gradients. The batch is all training rows, cut into portions of a minibatch
//     (--batch), many more than workers. A worker that has nothing to do is given the next one, so
//     a slow worker takes fewer of them and nobody waits for its equal part.
//   k shards (--servers) hold the model and everything L-BFGS remembers, a part each, and do vector
//     algebra on it when they are told: dot products, a x + y, scaling, copies. Workers fetch the
//     point from them, once for each evaluation of F, and push them each portion's gradient.
//   One coordinator, another server rank that holds no part of the model, hands out portions and
//     tells the shards what to do. Only numbers go to and from it: (4 m' + 6) k in an iteration
//     with m' pairs, and 2 k and each portion's loss in an evaluation.
//
// When all portions are given out and some are not done, whoever has nothing to do takes one of
// them too, and the first result counts. The shards know which portions they have added up, so a
// second copy never counts. Both copies have the same bits, so it does not matter that one shard
// may take the first and another shard the second. When all is there, the rest is called off:
// workers begin the next evaluation in the middle of what they are at.
//
// L-BFGS (Nocedal & Wright, algorithms 7.4 and 7.5): the direction is −H g by the two-loop
// recursion over the last m pairs s = x⁺ − x, y = g⁺ − g (--history), with H₀ = sᵀy / yᵀy of the
// newest; at first H₀ is the step size γ. A pair with sᵀy ≤ 1e-10 ‖y‖² is left out. A line search
// for the strong Wolfe conditions (wolfe_search.hpp) begins at 1, which is most often right, and
// each of its trials is an evaluation of F and its gradient: a pass over the data.
//
// Precision: what a shard keeps and adds up is double, whatever the model is. The points of F are
// of the model's precision, so that s and y speak of the very points at which gradients were
// computed. The model is the lowest point evaluated so far.
//
// The steps of a run (--steps, --epochs) are portions, as minibatches are in other schemes: so many
// epochs are as many evaluations at most. (Where the paper's workers push "every few completed
// portions", they push each one here.) In `wall` shards add portions up as they come, so the last
// bits differ from run to run.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/portions.hpp"
#include "scheme/vector_shard.hpp"
#include "scheme/wolfe_search.hpp"

namespace trainyard {

namespace {

constexpr std::uint64_t goodbye = UINT64_MAX;  // instead of a task

/// Worker: its part of each shard, coordinator left out.
void for_each_part(Communicator& comm, Vector whole,
                   FunctionRef<void(int rank, Vector part)> deal) {
  for_each_shard(comm, [&](int server) {
    if (server == 0) return;
    deal(comm.server(server), even_split(whole, server - 1, comm.servers() - 1));
  });
}

void fetch(Communicator& comm, Vector model) {
  for_each_part(comm, model, [&](int shard, Vector) { comm.send_control(shard, 0); });
  for_each_part(comm, model, [&](int shard, Vector part) { comm.receive_into(shard, part); });
}

/// Does the task, or one that it is called off for. False where that is to leave.
bool do_portion(Worker& worker, ListeningGradient& gradients, Task& task, std::uint64_t& fetched) {
  Communicator& comm = worker.comm();
  std::optional<Vector> gradient;
  while (!gradient) {
    if (task.tag() == goodbye) return false;
    if (fetched != task.evaluation) fetch(comm, worker.replica());
    fetched = task.evaluation;
    gradient = gradients.compute_portion_unless(
        task.portion, [&](const Message& next) { task = Task::from_tag(next.tag()); });
  }
  for_each_part(comm, *gradient,
                [&](int shard, Vector part) { comm.send(shard, part, task.tag()); });
  const double loss = worker.minibatch_loss();
  comm.send(comm.server(0), std::span(&loss, 1), task.tag());
  return true;
}

/// A step is a portion that is done, and ends with the answer to it: what it brought the model is
/// then there. What is called off is no step.
void work(Worker& worker) {
  Communicator& comm = worker.comm();
  ListeningGradient gradients(worker);
  const auto next_task = [&] { return Task::from_tag(comm.receive(comm.server(0)).tag()); };
  Task task = next_task();
  std::uint64_t fetched = 0;
  while (worker.next_step() && do_portion(worker, gradients, task, fetched)) task = next_task();
  comm.send_control(comm.server(0), goodbye);
  while (task.tag() != goodbye) task = next_task();
}

/// The coordinator's side of the algebra, and evaluations.
class Coordinator {
 public:
  explicit Coordinator(Server& server)
      : server_(server),
        comm_(server.comm()),
        portions_(server.portions()),
        losses_(server.portions()),
        running_(static_cast<std::size_t>(comm_.workers()), true),
        workers_left_(comm_.workers()) {}

  double dot(Held x, Held y) {
    tell_shards(comm_, {Verb::dot, x, y});
    return sum_of_answers(comm_);
  }
  void axpy(double a, Held x, Held y) { tell_shards(comm_, {Verb::axpy, x, y}, a); }
  void scale(double a, Held x) { tell_shards(comm_, {Verb::scale, {}, x}, a); }
  void copy(Held from, Held to) { tell_shards(comm_, {Verb::copy, from, to}); }

  /// F and its slope along `direction` at point + step · direction, which is then `trial`. Empty
  /// when the run is over; then nothing more may be asked.
  std::optional<LinePoint> evaluate(double step) {
    tell_shards(comm_, {Verb::evaluate}, step);
    for (int shard = 1; shard < comm_.servers(); ++shard) comm_.receive(comm_.server(shard));
    ++evaluation_;
    portions_.begin();
    for_each_worker(comm_, [&](int worker) {
      if (running_[static_cast<std::size_t>(worker)]) assign(worker);
    });
    while (portions_.left() > 0) {
      const auto message = comm_.receive_any();
      if (!message) return std::nullopt;  // who is left has crashed
      hear(*message);
      if (is_over()) {
        leave();
        return std::nullopt;
      }
    }
    tell_shards(comm_, {Verb::gather});
    LinePoint at{.step = step};
    at.slope = sum_of_answers(comm_);
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      at.loss += server_.portion_share(i) * losses_[i];
    }
    if (at.loss < least_loss_) {
      least_loss_ = at.loss;
      tell_shards(comm_, {Verb::publish});
    }
    return at;
  }

 private:
  void assign(int worker) { comm_.send_control(worker, Task{evaluation_, portions_.take()}.tag()); }
  /// The run's minibatches are given out: who has not left is at its last one, and there are more
  /// portions than that.
  bool is_over() const {
    return workers_left_ < comm_.workers() &&
           portions_.left() > static_cast<std::size_t>(workers_left_);
  }
  void leave() {
    for_each_worker(comm_, [&](int worker) { comm_.send_control(worker, goodbye); });
    while (workers_left_ > 0) {
      const auto message = comm_.receive_any();
      if (!message) return;  // as above
      if (message->tag() == goodbye) --workers_left_;
    }
  }
  /// A worker leaves, or has done a portion. What it did for an earlier evaluation came too late:
  /// it has been given another one since.
  void hear(const Message& message) {
    if (message.tag() == goodbye) {
      running_[static_cast<std::size_t>(message.from())] = false;
      --workers_left_;
      return;
    }
    const Task task = Task::from_tag(message.tag());
    if (task.evaluation != evaluation_) return;
    if (portions_.finish(task.portion)) losses_[task.portion] = last(message.vector());
    if (portions_.left() > 0) assign(message.from());
  }

  Server& server_;
  Communicator& comm_;
  Portions portions_;
  std::vector<double> losses_;  // of portions
  std::vector<bool> running_;   // workers
  int workers_left_;
  std::uint64_t evaluation_ = 0;
  double least_loss_ = INFINITY;
};

/// The pairs that L-BFGS remembers, the newest last, and what it makes of them.
class History {
 public:
  History(Coordinator& shards, std::size_t pairs_kept)
      : shards_(shards), rho_(pairs_kept), a_(pairs_kept) {}

  void forget() { count_ = 0; }
  bool empty() const { return count_ == 0; }

  /// direction ← −H · slopes; without pairs −γ · slopes.
  void set_direction(double step_size) {
    shards_.copy(Held::slopes, Held::direction);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t pair = place(i);
      a_[pair] = rho_[pair] * shards_.dot(s_of(pair), Held::direction);
      shards_.axpy(-a_[pair], y_of(pair), Held::direction);
    }
    shards_.scale(empty() ? -step_size : -newest_scale_, Held::direction);
    for (std::size_t i = count_; i-- > 0;) {
      const std::size_t pair = place(i);
      const double b = rho_[pair] * shards_.dot(y_of(pair), Held::direction);
      shards_.axpy(-a_[pair] - b, s_of(pair), Held::direction);
    }
  }

  /// `trial` is the next point.
  void advance() {
    const std::size_t pair = next_;
    shards_.copy(Held::trial, s_of(pair));
    shards_.axpy(-1.0, Held::point, s_of(pair));
    shards_.copy(Held::trial_slopes, y_of(pair));
    shards_.axpy(-1.0, Held::slopes, y_of(pair));
    shards_.copy(Held::trial, Held::point);
    shards_.copy(Held::trial_slopes, Held::slopes);
    const double sy = shards_.dot(s_of(pair), y_of(pair));
    const double yy = shards_.dot(y_of(pair), y_of(pair));
    if (!(sy > 1e-10 * yy)) return;
    rho_[pair] = 1.0 / sy;
    newest_scale_ = sy / yy;
    next_ = (pair + 1) % rho_.size();
    count_ = std::min(count_ + 1, rho_.size() - 1);
  }

 private:
  /// The place of the i-th newest pair.
  std::size_t place(std::size_t i) const { return (next_ + rho_.size() - 1 - i) % rho_.size(); }

  Coordinator& shards_;
  std::vector<double> rho_, a_;  // of each pair: 1 / sᵀy, and the first loop's coefficient
  std::size_t next_ = 0, count_ = 0;
  double newest_scale_ = 1.0;
};

/// Each turn of the loop is an iteration. It ends with the run, inside of an evaluation.
void coordinate(Server& server) {
  Coordinator shards(server);
  History history(shards, pairs_kept(server));
  const double rounding = server.shard().scalar() == Scalar::float32 ? 1e-7 : 1e-15;
  std::optional<LinePoint> at = shards.evaluate(0.0);
  if (at) shards.copy(Held::trial_slopes, Held::slopes);
  while (at) {
    history.set_direction(server.step_size());
    const LinePoint start{.loss = at->loss, .slope = shards.dot(Held::slopes, Held::direction)};
    if (!(start.slope < 0.0)) {
      // At the optimum, to the last bit, or where F is no number: the run goes on without a move.
      history.forget();
      const auto again = shards.evaluate(0.0);
      if (!again) return;
      continue;
    }
    const auto found = wolfe_search({.rounding = rounding}, start, 1.0,
                                    [&](double step) { return shards.evaluate(step); });
    if (!found) return;
    if (found->step == 0.0) {
      history.forget();
    } else {
      history.advance();
      at = found;
    }
  }
}

void serve(Server& server) {
  if (server.comm().rank() == server.comm().server(0)) {
    coordinate(server);
  } else {
    VectorShard(server).serve();
  }
}

/// The coordinator is a rank more than --servers says.
Cast coordinator_and_shards(const CastSetting& setting) {
  return {.workers = setting.workers,
          .servers = setting.servers + 1,
          .proxies = 1,
          .model = ModelHome::servers};
}

}  // namespace

Scheme sandblaster_scheme() {
  return {.name = "sandblaster",
          .summary = "L-BFGS: portions of all rows for idle workers, vector algebra on the shards",
          .step = "γ × the gradient for the very first trial step; a line search finds all others",
          .cost = {.formula = "a pass over the data each time F is evaluated, then 4mk numbers",
                   .rate = "R-linear on strongly convex f, not superlinear"},
          .source = "Dean et al. 2012; Nocedal & Wright 2006; catalogue 2.8",
          .family = SchemeFamily::synchronous,
          .order = {.pace = Pace::free,
                    .rhythm = Rhythm::by_data,
                    .no_checkpoint = "is in the midst of a line search",
                    .outlives_worker = true},
          .cast = coordinator_and_shards,
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "is L-BFGS, whose line search wants a derivative everywhere",
                         .no_clip_norm = "searches along the gradient of all rows as it is"},
          .hyperparameters = {{.name = "history",
                               .argument = "M",
                               .help = "pairs of steps and gradient changes that L-BFGS remembers",
                               .fallback = 10,
                               .low = 1,
                               .high = 1000,
                               .whole = true}},
          .shares = {.published = ShareWeights::rows,
                     .fixed = "its workers take portions of all rows, and have no shares"},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
