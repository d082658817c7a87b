// When a run goes on, when it is looked at, and when it ends: everything behind next_step().
//
// Also the place where the models of all ranks lie, so that evaluation can look at them and they
// outlive the ranks.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/shared_model.hpp"
#include "trainyard/runtime/staleness.hpp"

namespace trainyard {

/// lockstep: all workers take the same number of steps, none runs ahead of what it needs from
/// others. free: each worker takes the next step when it is ready; the steps of all are counted
/// together. server: a step is what the servers close, when they have what it takes; a worker that
/// comes too late for it takes part in a later one, so workers' own steps say little.
enum class Pace { lockstep, free, server };

/// Where "the model" is: the mean of the workers' replicas, the servers' shards put together, or
/// the shared one; of several shared ones, their mean.
enum class ModelHome { replicas, servers, shared };

/// The limits are whichever comes first.
struct RunLimits {
  // A worker; if free, on average over the workers; if the servers close them, so many of those.
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> minibatches{};  // free: of all workers together, instead of steps
  std::uint64_t evaluate_every = 1;            // steps a worker
  Duration time = Duration::max();
};

/// A look at the model while the run stands still.
struct Snapshot {
  std::uint64_t minibatches = 0;  // of all workers so far: those that the model has learnt from
  double steps = 0.0;             // as RunLimits::steps counts them
  Time time{0};
  ConstVector model{};  // of replicas, their mean
  /// (1/n) Σ‖x_i − x̄‖²; empty when the model has one home.
  std::optional<double> consensus_distance{};
  std::uint64_t messages = 0, bytes = 0;  // sent so far by all ranks
};

class RunControl {
 public:
  /// `look` is called while all ranks stand still; when it returns true, the run ends as soon as
  /// the steps that have begun are done. `interrupted` is watched. A free worker takes steps off
  /// the common count in lots of `lot`: with 1 the count is exact at every moment, but fought over.
  RunControl(Pace pace, ModelHome home, int workers, int servers, Scalar scalar,
             std::size_t dimension, const RunLimits& limits, std::uint64_t lot,
             std::function<bool(const Snapshot&)> look, const std::atomic<bool>& interrupted);

  // Called while ranks are set up, by the rank concerned.
  Vector keep_replica(int worker, VectorBuffer replica);
  Vector keep_shard(int server, VectorBuffer shard);
  void keep_shared(SharedModels* shared) { shared_ = shared; }

  /// Called by a worker that has done `done` steps. False when it shall take no more.
  bool next_step(Rank& rank, std::uint64_t done);

  /// lockstep: the step that this worker has begun takes no minibatch.
  void sit_out(int worker) {
    // relaxed: a count that is read while all stand still, or by its own worker.
    progress_[static_cast<std::size_t>(worker)].sat_out.fetch_add(1, std::memory_order_relaxed);
  }
  /// server: a server has closed a step with so many minibatches. REQUIRES: its model is what it is
  /// after that step; Server::close_step() calls it.
  void close_step(Rank& rank, std::uint64_t minibatches);
  /// lockstep, server: no step with this number or a later one is taken.
  std::uint64_t last_step() const {
    // relaxed: it changes only while all ranks stand still.
    return last_step_.load(std::memory_order_relaxed);
  }

  /// free: the number of the worker's present minibatch in the common count, from 0.
  std::uint64_t minibatch_number(int worker) const {
    const Progress& progress = progress_[static_cast<std::size_t>(worker)];
    return progress.first + progress.lot - progress.lot_left;
  }
  /// Steps done so far by all workers, whatever became of them; reads a line of each of them.
  std::uint64_t worker_steps_done() const;
  /// Rank `rank` records into it.
  Staleness& staleness_of(int rank) { return staleness_[static_cast<std::size_t>(rank)]; }

  // After the run.
  /// Assembles the model from its home, and the consensus distance.
  Snapshot final_snapshot(const RuntimeReport& report);
  Staleness staleness() const;

 private:
  /// The replicas of one evaluation, laid down by each worker as it reaches that step.
  struct Deposit {
    VectorBuffer replicas;                    // [workers × dimension]
    std::uint64_t step = 0, minibatches = 0;  // of all workers until that step
    int present = 0;
    bool free = true;
  };
  /// A worker's own line: what it writes at every step.
  struct alignas(64) Progress {
    std::atomic<std::uint64_t> begun{0}, done{0}, sat_out{0};  // steps
    std::uint64_t first = 0, lot = 0, lot_left = 0;  // minibatches taken off the common count
  };

  /// A server's own line.
  struct alignas(64) Closed {
    std::atomic<std::uint64_t> steps{0}, minibatches{0};
  };

  bool next_lockstep(Rank& rank, std::uint64_t done);
  bool next_served(Rank& rank);
  std::uint64_t steps_closed() const;
  std::uint64_t foremost_closed() const;
  void count_done(Snapshot& snapshot) const;
  bool next_free(Rank& rank, std::uint64_t done);
  void deposit(Rank& rank, std::uint64_t done);
  Deposit& deposit_of(std::uint64_t step);
  void look(const Rank& rank, Snapshot snapshot);
  void end_after_steps_begun();
  void count_lot(Rank& rank, Progress& progress);
  bool out_of_time(Rank& rank) const;
  void mean_of(ConstVector replicas, Snapshot& snapshot);
  template <typename T>
  double mean_of_block(std::span<const T> replicas, std::size_t count, std::span<T> means) const;
  void gather_model(Snapshot& snapshot);
  void gather_shared(Snapshot& snapshot);

  const Pace pace_;
  const ModelHome home_;
  const int workers_;
  const Scalar scalar_;
  const std::size_t dimension_;
  const RunLimits limits_;
  const std::function<bool(const Snapshot&)> look_;
  const std::atomic<bool>& interrupted_;
  const std::uint64_t lot_;

  std::vector<VectorBuffer> replicas_, shards_;
  SharedModels* shared_ = nullptr;
  std::vector<Staleness> staleness_;
  std::vector<Progress> progress_;
  std::vector<Closed> closed_;
  std::uint64_t looked_at_ = 0;              // server: after so many steps; deposits_mutex_
  std::atomic<std::uint64_t> last_step_;     // lockstep, server: none with this number begins
  std::atomic<std::uint64_t> claimed_{0};    // free: minibatches taken off the common count
  std::atomic<std::uint64_t> completed_{0};  // free: minibatches done
  std::atomic<bool> ending_{false};

  std::mutex deposits_mutex_;
  // As many as evaluations have been under way at once, used again. A deque, as others are using
  // theirs while one is added.
  std::deque<Deposit> deposits_;
  VectorBuffer mean_;
  VectorBuffer gathered_;                  // the replicas of a look, free or shared
  std::vector<double> squared_distances_;  // from the mean, of each block
};

}  // namespace trainyard
