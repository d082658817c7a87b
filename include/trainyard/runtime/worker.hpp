// One worker's view of a run: its replica of the model, its share of the data, its gradient. What a
// scheme's program is written in.
//
//   void all_reduce_worker(Worker& worker) {
//     while (worker.next_step()) {
//       const auto gradient = worker.compute_gradient();
//       all_reduce_sum(worker.comm(), gradient, worker.collective());
//       worker.apply(gradient, 1.0 / worker.comm().workers());
//     }
//   }
//
// Threads: a worker belongs to its rank; the context is read by all of them. Waiting calls are
// unwound when another rank fails; what is called against its REQUIRES throws InternalError or
// UsageError, and ends the run.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/data/minibatch.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/gradient_parts.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/compute_noise.hpp"
#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/ingredients.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/shared_lines.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

struct AllReduce;  // collective/all_reduce.hpp, above this folder
struct Stage;      // model/layered_model.hpp
class LayeredModel;

class Worker {
 public:
  /// Lays out the shares of these workers in this thread's memory: most often its own alone, in
  /// gradient coding also others', in the sequential yardstick everyone's.
  Worker(Rank& rank, const RunContext& context, std::span<const int> shares);

  /// Begins the next step; false when the budget is spent, and then the program returns.
  bool next_step();
  /// The current step, from 0.
  std::uint64_t step() const { return done_; }

  /// ∇F at the replica, mean over the next minibatch, regulariser included; with --weights rows
  /// times the weight of its share (scheme/share_rule.hpp). Valid, and the caller's to change,
  /// until the next call.
  Vector compute_gradient();

  /// The same at the replica as it is now, while `serve` takes what arrives and may change it.
  Vector compute_gradient_serving(FunctionRef<void(const Message&)> serve);
  /// The same until a message arrives, which `take` is given: empty then, and what has been
  /// computed is lost.
  std::optional<Vector> compute_gradient_unless(FunctionRef<void(const Message&)> take);
  /// compute_gradient(), its bits, in the parts that gradient_parts() says, the last layer first.
  /// After each, `done` is given the gradient and which part of it is final: it may be sent and
  /// changed while the next one is computed. Meanwhile `serve` takes what arrives, and may keep it.
  /// The parts together take as long as the whole.
  Vector compute_gradient_by_parts(FunctionRef<void(Vector gradient, ParameterRange part)> done,
                                   FunctionRef<void(Message&)> serve);
  /// The same over portion `number` of all training rows (RunContext::portion()), which any worker
  /// may take: it is read where it lies. Takes as long as a minibatch.
  std::optional<Vector> compute_portion_unless(std::size_t number,
                                               FunctionRef<void(const Message&)> take);

  /// The same over minibatch `number`, from 0, of its share-th share alone. A share's numbers go
  /// up; those left out are skipped.
  std::optional<Vector> compute_share_unless(std::size_t share, std::uint64_t number,
                                             FunctionRef<void(const Message&)> take);

  /// Σ_k coefficients_k ∇F at the replica over minibatch `number`, from 0, of its k-th share; takes
  /// as long as that many minibatches. Numbers go up; those left out are skipped. Valid as the
  /// gradient. REQUIRES: a coefficient for each share.
  Vector compute_combination(std::span<const double> coefficients, std::uint64_t number);

  /// The next minibatch of its shares, for arithmetic of the scheme's own; compute_gradient() and
  /// its like take theirs by themselves. Valid until another one is taken.
  Batch next_minibatch() { return own_stream_ != nullptr ? own_stream_->next() : next_of_shares(); }
  /// The one that it will take after `after` others, drawn now: what follows is no other for it.
  /// Valid until it has been taken and another one is. Of schemes that work on one minibatch of
  /// all their shares at a time.
  Batch upcoming_minibatch(std::size_t after);
  /// How many it has taken since the first call of upcoming_minibatch().
  std::uint64_t minibatches_taken() const { return taken_; }
  /// RunContext::key_width
  std::size_t key_width() const { return context_.key_width; }
  /// Takes the next minibatch and computes something of it in a gradient's place, and as long: with
  /// the run's noise. Throws OptionError where that was to be weighed. REQUIRES: as compute() does.
  void compute_on_minibatch(FunctionRef<void(Batch)> work);
  /// How many minibatches these rows are, for compute().
  double minibatches(Batch batch) const {
    return static_cast<double>(row_count(batch)) / static_cast<double>(context_.batch);
  }

  /// Mean loss of the minibatch of the last gradient at the replica as it is now, regulariser
  /// included. Free of simulated time: a gradient brings the loss along.
  double minibatch_loss();

  /// Arithmetic of the scheme's own, such as coding a message: in simulated time it takes as long
  /// as so many minibatches do without noise, in `wall` as long as it takes, and a straggler is at
  /// it so many times longer. What is done outside is free in simulated time. REQUIRES: minibatches
  /// ≥ 0; `work` writes only what is this worker's own, and calls neither this worker nor its
  /// communicator: in simulated time it may run on another core.
  void compute(double minibatches, FunctionRef<void()> work);
  /// The same, slowed down at random as a minibatch is.
  void compute(double minibatches, const Slowdown& noise, FunctionRef<void()> work);
  /// What befalls this worker's next minibatch, in schemes that compute parts of it: each call is
  /// of another one.
  Slowdown next_slowdown() { return noises_.front().next(); }

  /// One optimizer step of the replica with the gradient `scale` · gradient: 1/n with a sum over n
  /// workers, which saves a pass over it.
  void apply(ConstVector gradient, double scale = 1.0);

  /// The same of another vector, in schemes that hold their model in other terms, or that step a
  /// part of it. Always the same vector or one of the same length: what the optimizer keeps is as
  /// long as what it is first applied to.
  void apply_to(Vector model, ConstVector gradient, double scale = 1.0);

  /// compute_gradient() and apply() in one. Serial SGD on single rows of sparse data, where
  /// applying a whole gradient would cost hundreds of times the row itself, touches only the row's
  /// coordinates and regularises those in expectation (Model::SparseUpdate); that needs a linear
  /// model and plain SGD.
  void descend();

  /// One step on the shared model of this worker's group: reads it, computes for as long as a
  /// minibatch takes, writes it. Sparse linear models touch only the coordinates of the minibatch's
  /// rows, whatever its size; others read what they wrote in the step before, unless
  /// forget_read() was called since. A model in 8 or 16 bits (Cast::shared_format) is written
  /// rounded at random, and racy.
  void descend_shared(SharedAccess access = SharedAccess::racy);
  /// In schemes whose cast has slices, at the end of each step: those lines that have their turn
  /// (HotLines) are reconciled, each a change of the shared model by `access`. In simulated time
  /// takes what its lines take. Staleness is then that of what is reconciled: the steps that others
  /// have taken since the worker last saw the line.
  void reconcile_slices(SharedAccess access);
  /// At the worker's end: what it has added since then to lines whose turn has not come, so that
  /// those who go on see it.
  void reconcile_rest_of_slices(SharedAccess access);
  /// The scheme has changed the shared model otherwise: the next step reads all of it.
  void forget_read() { has_read_ = false; }
  /// Before what the scheme itself does with the shared model of a group: in `virtual` waits for
  /// all of its lines (shared_lines.hpp). In `wall` that is part of doing it.
  void touch_shared(int group, LineUse use);
  /// The same of those lines alone that begin at these parameters.
  void touch_shared(int group, std::span<const std::size_t> lines, LineUse use);

  const Model& model() const { return context_.model; }
  /// The run's model by layers, and those of them whose parameters this worker's replica is. Throw
  /// UsageError where the model has no layers.
  const LayeredModel& layers() const;
  Stage stage() const;
  /// Which of the model's parameters its replica is.
  Holding holding() const { return context_.state.layout().held_by(rank_.rank()); }

  /// What every model of the run starts from.
  ConstVector initial_model() const { return context_.initial_model; }

  /// Those that are the model's home, or that machines' threads have (Cast::machine_threads).
  /// Throws UsageError in schemes without.
  SharedModels& shared() {
    if (context_.state.shared() == nullptr) throw_wrong_home("shared()");
    return *context_.state.shared();
  }
  int group() const { return group_; }
  /// free: the number of the present minibatch among those of all workers, from 0; else the step's.
  std::uint64_t minibatch_number() const { return context_.pacer.minibatch_number(rank_.rank()); }

  /// A gradient was applied when so many updates had been made of what it was taken at.
  void record_staleness(std::uint64_t updates) {
    context_.state.staleness_of(rank_.rank()).record(updates);
  }

  /// Instead of a minibatch, which is not counted as taken then. Of schemes in lockstep.
  void sit_out();

  /// The optimizer's velocity, of the replica's size; empty without momentum.
  Vector velocity() { return optimizer_for(held_).velocity(); }
  /// γ of this step, > 0 (lr_schedule.hpp).
  double step_size() const;
  /// free: the same by the common count of minibatches, as a slow worker's own steps say little
  /// about how far all have come. For models that several workers step.
  double common_step_size() const {
    return constant_step_ ? context_.optimizer.lr : step_size_after(minibatch_number());
  }
  /// Passes over the data that all workers together have made before this step.
  double epochs() const;
  /// What its share counts in a mean that the program takes itself: its rows, or 1 where all count
  /// alike (--weights). Of rows with .shares = {.in_program = true}.
  std::uint64_t share_weight() const {
    return context_.share_weights == ShareWeights::rows ? shares_.front().rows : 1;
  }
  /// A stream that is the same at every worker, so that all draw alike without a word.
  RandomStream common_random() const {
    constexpr std::uint32_t no_rank = ~std::uint32_t{0};
    return {context_.seed, Purpose::scheme, no_rank};
  }

  /// This worker's model, or the part of it that the cast says it holds, evaluated as it stands
  /// between two steps. Empty in schemes whose model is the shared one.
  Vector replica() { return replica_; }

  /// What the scheme carries from one step to the next beside the replica: so many numbers, of the
  /// run's precision unless `precision` says otherwise (a sum of many small changes drifts in
  /// float). Zero at first; a program that begins elsewhere fills them before its first
  /// next_step(). The run's state lists them by this name (run_state.hpp), so it is to be the
  /// paper's: "correction", "velocity". What lies in a local variable instead is neither listed nor
  /// counted as memory. The same name gives the same memory; throws InternalError if it was asked
  /// for with another length or precision.
  Vector keep(std::string_view name, std::size_t length, std::optional<Scalar> precision = {}) {
    return context_.state.keep(rank_.rank(), name, length, precision);
  }

  Communicator& comm() { return rank_; }
  /// For what a worker draws for itself; each has a stream of its own.
  RandomStream& random() { return random_; }
  /// What the run says for a hyperparameter. Throws UsageError for one that the scheme's row does
  /// not name.
  double hyperparameter(std::string_view name) const { return context_.its_hyperparameter(name); }
  /// The place of a hyperparameter's word among its choices, as the scheme's enumeration has it.
  template <typename Choice>
  Choice choice(std::string_view name) const {
    return static_cast<Choice>(static_cast<int>(hyperparameter(name)));
  }
  /// The run's component of a kind (scheme/ingredient.hpp). Throws UsageError where the scheme's
  /// row does not take it.
  template <typename Component>
  const Component& ingredient(std::string_view kind) const {
    return context_.ingredient<Component>(kind);
  }
  /// How the run's all-reduce is done. Throws UsageError where the row takes no "collective".
  const AllReduce& collective() const { return ingredient<AllReduce>("collective"); }
  /// The run's codec at work, with a stream of random numbers of its own: a program makes one.
  /// Throws UsageError where the row takes no "codec".
  Coder coder() { return coder(ingredient<Codec>("codec")); }
  /// One that is part of the scheme's rule: its row says in .own_coding what that takes.
  Coder coder(const Codec& codec) { return make_coder(rank_, context_, codec, done_); }
  /// Coding without a codec, of as many numbers as the replica has: takes the run's encode time, or
  /// its decode time, for each. Throws NotFinite where x is not finite, of which something is
  /// encoded. REQUIRES: as compute() does.
  void encode_by(ConstVector x, FunctionRef<void()> work) {
    require_finite(x, rank_, context_.scheme, done_);
    code(context_.coding_time.encode, work);
  }
  void decode_by(FunctionRef<void()> work) { code(context_.coding_time.decode, work); }
  /// So many bytes were sent for so many, for the summary.
  void record_coding(std::size_t plain_bytes, std::size_t encoded_bytes);
  /// A sentence for the reader of the run's results, said at its end. Worker 0's alone is kept.
  void remark(std::string text);
  GradientShape gradient_shape() const { return context_.gradient_shape(); }
  /// The matrices that the replica is.
  std::vector<TensorShape> tensors() const { return context_.model.tensors(); }
  /// What this worker gives and takes in the next round of gossip: the first call is round 0, and
  /// each begins another, however many steps lie between them. A program calls it once for a round
  /// and keeps the row until that is over, and all workers call it equally often. It may be called
  /// before the first step where the graph never changes. Throws UsageError where the row takes no
  /// "topology".
  const MixingRow& next_round();

 private:
  void lay_out_shared();
  /// The whole model, a replica of its own.
  void needs_whole(const char* asked_for) const {
    if (replica_.empty() || !holds_all_) throw_wrong_home(asked_for);
  }
  void needs_replica(const char* asked_for) const {
    if (replica_.empty()) throw_wrong_home(asked_for);
  }
  [[noreturn]] void throw_wrong_home(const char* asked_for) const;
  /// The gradient at `model`, times `weight`.
  void take_gradient(ConstVector model, Batch batch, double weight);
  bool compute_serving(Batch batch, const ComputeCost& cost, double weight,
                       FunctionRef<bool(Message&)> serve);
  std::optional<Vector> compute_unless(Batch batch, const ComputeCost& cost, double weight,
                                       FunctionRef<void(const Message&)> take);
  /// Of the next minibatches of shares that weigh differently.
  Vector compute_weighed_mean();
  /// Of its share-th share.
  double weight_of(std::size_t share) const { return weights_.empty() ? 1.0 : weights_[share]; }
  void skip_to(std::size_t share, std::uint64_t number);
  Batch fetched(Batch rows);
  Batch next_of_shares();
  Batch draw_of_shares();
  /// Until it is asked for the next.
  const ComputeCost& cost_of_next(bool reads_shared) {
    if (noisy_ || !cost_) draw_cost();
    cost_->reads_shared = reads_shared;
    return *cost_;
  }
  void draw_cost();
  ComputeCost cost_of(double minibatches, const Slowdown& noise) const;
  double step_size_after(std::uint64_t minibatches) const;
  bool begins_with_team();
  void touch_rows(Batch batch, LineUse use);
  SharedLines::Passage passage() { return SharedLines::begin(rank_.rank(), rank_.now()); }
  void await(const SharedLines::Passage& passage);
  void code(Duration of_a_number, FunctionRef<void()> work);
  /// Made when it is first asked for, for so many numbers.
  Optimizer& optimizer_for(std::size_t numbers);

  Rank& rank_;
  const RunContext& context_;
  const int team_;          // so many workers begin each step together
  const std::size_t held_;  // how many of the model's parameters its replica is
  const bool holds_all_;
  const bool noisy_;          // each minibatch has a cost of its own
  const bool constant_step_;  // saves divisions and calls, which show beside a row of 60 nonzeros
  const Model::SparseUpdate* sparse_;  // nullptr when a step touches every coordinate
  std::vector<Dataset> shares_;
  std::vector<double> weights_;  // of the losses of shares; empty: 1
  double weight_ = 1.0;          // where there is one share
  std::vector<MinibatchStream> streams_;
  MinibatchStream* own_stream_ = nullptr;  // where there is one, whose rows are at hand
  std::vector<ComputeNoise> noises_;  // its own, or one a share where it stands for all workers
  std::optional<ComputeCost> cost_;   // of the last minibatch; without noise, of every one
  std::vector<RowRange> ranges_;
  // Minibatches that were drawn ahead; the one taken last; room for others. Lists, as their nodes
  // move without allocation.
  std::list<std::vector<RowRange>> ahead_, last_taken_, spare_;
  std::uint64_t taken_ = 0;
  Batch batch_;  // of the last gradient
  Workspace workspace_;
  VectorBuffer gradient_;
  std::optional<GradientInParts> in_parts_;  // once the scheme has asked for it
  VectorBuffer combination_;                 // empty with one share
  std::vector<Batch> combined_;              // of each share, where they are combined
  std::vector<std::uint64_t> next_numbers_;  // of each stream's next minibatch, where asked for
  AlignedBuffer<float> residuals_, read_copy_;
  Vector replica_;
  std::optional<Optimizer> optimizer_;
  RandomStream random_;
  XorShift rounding_;                    // of a shared model in 8 or 16 bits
  VectorBuffer read_at_;                 // where a gradient is taken while the replica changes
  std::uint64_t done_ = 0, rounds_ = 0;  // steps, and rounds of gossip
  int group_ = 0;                        // of workers that share a model
  bool begun_ = false;
  bool has_read_ = false;    // read_copy_ is the shared model as it was last seen
  bool single_row_ = false;  // a step's minibatch is one row
  // Of slices:
  void touch_slots(std::size_t first, std::size_t end);
  void reconcile_slots(std::pair<std::size_t, std::size_t> slots, std::uint64_t others,
                       SharedAccess access);
  std::uint64_t visits_ = 0;                // done
  std::uint64_t steps_to_visit_ = 0;        // of the next one; with this step
  std::vector<std::uint64_t> others_then_;  // a slot: the others' steps when it was reconciled
  RowRange portion_;                        // batch_, where it is one
  void check_portion(std::size_t number);
  std::vector<bool> checked_portions_;  // of data with an unchecked_file
};

}  // namespace trainyard
