// One worker's view of a run: its replica of the model, its share of the data, its gradient. What a
// scheme's program is written in.
//
//   void all_reduce_worker(Worker& worker) {
//     while (worker.next_step()) {
//       const auto gradient = worker.compute_gradient();
//       all_reduce_sum(worker.comm(), gradient, collective_of(worker));
//       worker.apply(gradient, 1.0 / worker.comm().workers());
//     }
//   }
//
// What only some families of schemes need are objects that a program makes from its worker:
//   SharedSteps, Slices           models that workers share in memory
//   OverlappedGradient            gradients that are sent while they are computed
//   ListeningGradient             gradients during which messages are taken
//   CombinedGradient, OwnCoding   gradient coding; coding without a codec
//   StagePass, SplitPass          models of which each worker holds a part
//
// Threads: a worker belongs to its rank; the context is read by all of them. Waiting calls are
// unwound when another rank fails; what is called against its REQUIRES throws InternalError or
// UsageError, and ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/combined_gradient.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/ingredients.hpp"
#include "trainyard/runtime/minibatches.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

class LayeredModel;

class Worker {
 public:
  /// Lays out the shares of these workers in this thread's memory: most often its own alone, in
  /// gradient coding also others', in the sequential yardstick everyone's.
  Worker(Rank& rank, const RunContext& context, std::span<const int> shares);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Steps.

  /// Begins the next step; false when the budget is spent, and then the program returns.
  bool next_step();
  /// The current step, from 0.
  std::uint64_t step() const { return done_; }
  /// Passes over the data that all workers together have made before this step.
  double epochs() const { return context_.epochs(minibatches_before()); }
  /// γ of this step, > 0 (lr_schedule.hpp).
  double step_size() const;

  // Computing.

  /// ∇F at the replica, mean over the next minibatch, smooth regulariser included; clipped with
  /// --clip-norm, and then with --weights rows times the weight of its share (scheme/
  /// share_rule.hpp). Valid, and the caller's to change, until the next call.
  Vector compute_gradient();
  /// Mean loss of the minibatch of the last gradient at the replica as it is now, regulariser
  /// included. Free of simulated time: a gradient brings the loss along.
  double minibatch_loss();
  /// compute_gradient() and apply() in one. Serial SGD on single rows of sparse data, where
  /// applying a whole gradient would cost hundreds of times the row itself, touches only the row's
  /// coordinates and regularises those in expectation (Model::SparseUpdate); that needs a linear
  /// model, plain SGD and no clipping.
  void descend();
  /// Arithmetic of the scheme's own, such as coding a message: in simulated time it takes as long
  /// as so many minibatches do without noise, in `wall` as long as it takes, and a straggler is at
  /// it so many times longer. What is done outside is free in simulated time. REQUIRES: minibatches
  /// ≥ 0; `work` writes only what is this worker's own, and calls neither this worker nor its
  /// communicator: in simulated time it may run on another core.
  void compute(double minibatches, FunctionRef<void()> work) {
    rank_.compute(minibatches_.costs().of(minibatches), work);
  }
  /// The minibatches that compute_gradient() and its like take by themselves, for arithmetic of the
  /// scheme's own.
  Minibatches& minibatches() { return minibatches_; }

  // Steps of the optimizer.

  /// One optimizer step of the replica with the gradient `scale` · gradient, 1/n with a sum over n
  /// workers, which saves a pass over it; `stretch` times as long as γ says.
  void apply(ConstVector gradient, double scale = 1.0, double stretch = 1.0) {
    apply_to(replica_, gradient, scale, stretch);
  }
  /// As apply(), for another vector, in schemes that hold their model in other terms, or that step
  /// a part of it. Always the same vector or one of the same length: what the optimizer keeps is as
  /// long as what it is first applied to.
  void apply_to(Vector model, ConstVector gradient, double scale = 1.0, double stretch = 1.0);
  /// What the optimizer keeps, of the replica's size.
  OptimizerMoments moments() { return optimizer_for(0, held_).moments(); }
  /// A gradient was applied when so many updates had been made of what it was taken at.
  void record_staleness(std::uint64_t updates) {
    context_.state.staleness_of(rank_.rank()).record(updates);
  }

  // The model.

  const Model& model() const { return context_.model; }
  /// The starting point of every model of the run.
  ConstVector initial_model() const { return context_.initial_model; }
  /// This worker's model, or the part of it that the cast says it holds, evaluated as it stands
  /// between two steps. Empty in schemes whose model is the shared one.
  Vector replica() { return replica_; }
  /// Which of the model's parameters its replica is.
  Holding holding() const { return context_.state.layout().held_by(rank_.rank()); }
  /// The run's model by layers. Throws UsageError where it has none.
  const LayeredModel& layers() const;
  /// The facts about a minibatch's gradient that both ends of a message know.
  GradientShape gradient_shape() const { return context_.gradient_shape(); }
  /// State that the scheme carries from one step to the next beside the replica: `begins` is its
  /// length or its first values, `precision` that of zeros where it is not the run's (a sum of many
  /// small changes drifts in float). In a later leg of the run (run_state.hpp) it is what it was.
  /// The run's state lists it by this name, so it is to be the paper's: "correction", "velocity".
  /// What lies in a local variable instead is neither listed nor counted as memory, and begins anew
  /// with each leg. The same name gives the same memory; throws InternalError if it was asked for
  /// with another length or precision.
  Vector keep(std::string_view name, const Beginning& begins,
              std::optional<Scalar> precision = {}) {
    return context_.state.keep(rank_.rank(), name, begins, precision);
  }
  /// The same of so many whole numbers.
  std::span<std::uint64_t> keep_counts(std::string_view name, std::size_t length) {
    return context_.state.counts(rank_.rank(), name, length);
  }

  // Others.

  Communicator& comm() { return rank_; }
  /// The row of `node` in the next round of gossip, of this worker if no node is given: what it
  /// gives and takes. The first call is round 0, and each begins another, however many steps lie
  /// between them. A program calls it once for a round and keeps the row until that is over, and
  /// all workers that gossip call it equally often. It may be called before the first step where
  /// the graph never changes. Throws UsageError where the row takes no "topology".
  const MixingRow& next_round(std::optional<int> node = {});
  /// The run's codec at work, with a stream of random numbers of its own; or `own`, one that is
  /// part of the scheme's rule: its row says in .messages.own_coding what that takes. Throws
  /// UsageError where the row takes no "codec", and has none of its own.
  Coder coder(const Codec* own = nullptr) {
    return make_coder(rank_, context_, own != nullptr ? *own : ingredient<Codec>("codec"), done_);
  }

  // The run.

  /// The run's value of a hyperparameter. Throws UsageError for one that the scheme's row does not
  /// name.
  double hyperparameter(std::string_view name) const { return context_.its_hyperparameter(name); }
  /// The place of a hyperparameter's word among its choices, as the scheme's enumeration has it.
  template <typename Choice>
  Choice choice(std::string_view name) const {
    return static_cast<Choice>(static_cast<int>(hyperparameter(name)));
  }
  /// The run's component of a kind (scheme/ingredient.hpp): collective_of(worker) for one. Throws
  /// UsageError where the scheme's row does not take it.
  template <typename Component>
  const Component& ingredient(std::string_view kind) const {
    return context_.ingredient<Component>(kind);
  }
  /// For what a worker draws for itself; each has a stream of its own.
  RandomStream& random() { return random_; }
  /// A stream that is the same at every worker, so that all draw alike without a word.
  RandomStream& common_random() const {
    constexpr std::uint32_t no_rank = ~std::uint32_t{0};
    return context_.state.stream(rank_.rank(), "common",
                                 RandomStream(context_.seed, Purpose::scheme, no_rank));
  }
  /// A sentence for the reader of the run's results, said at its end. Worker 0's alone is kept.
  void remark(std::string text);

 private:
  friend struct WorkerParts;  // what the objects of this folder reach, src/runtime/worker_parts.hpp

  /// The whole model, a replica of its own.
  void needs_whole(const char* asked_for) const {
    if (replica_.empty() || held_ != context_.model.dimension()) throw_wrong_home(asked_for);
  }
  [[noreturn]] void throw_wrong_home(const char* asked_for) const;
  /// The gradient at `model`, times `weight`.
  void take_gradient(ConstVector model, Batch batch, double weight);
  /// The mean of the next minibatches of shares that weigh differently.
  Vector compute_weighed_mean();
  bool begins_with_team();
  std::uint64_t minibatches_before() const {
    return done_ * context_.minibatches_of_step + context_.minibatches_of_others;
  }
  /// Made when it is first asked for, for so many numbers from that one of the replica on.
  Optimizer& optimizer_for(std::size_t first, std::size_t numbers);

  // Written by the constructor.
  Rank& rank_;
  const RunContext& context_;
  const int team_;            // so many workers begin each step together
  const std::size_t held_;    // how many of the model's parameters its replica is
  const bool constant_step_;  // saves a division and a call beside a row of 60 nonzeros
  const bool bare_step_;      // it is x ← x − γ ∇F, and nothing is done before or after
  const Model::SparseUpdate* sparse_;  // nullptr where descend() touches every coordinate
  Vector replica_;                     // the numbers are the scheme's to write

  // Written by next_step() and next_round().
  std::uint64_t done_ = 0, rounds_ = 0;
  bool begun_ = false;

  // Written by every gradient, and by descend().
  Minibatches minibatches_;
  Batch batch_;  // of the last gradient
  Workspace workspace_;
  VectorBuffer gradient_;
  AlignedBuffer<float> residuals_;           // of sparse steps
  std::optional<CombinedGradient> weighed_;  // of shares that weigh differently

  // Written by every step of the optimizer.
  std::optional<Optimizer> optimizer_;

  // Written by the program as it draws.
  RandomStream& random_;
};

}  // namespace trainyard
