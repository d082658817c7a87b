// The interface behind next_step(). It counts the steps of a run, asks its rule (steps.hpp) whether
// another one begins, and has the run looked at when the rule says so. Where ranks share memory
// that is a Pacer (pacer.hpp); processes tell each other (mpi/pacer.hpp).
//
// Threads: each function says whose rank calls it; ranks call at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

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

/// Called while all ranks stand still; when it returns true, the run ends there: steps that have
/// begun, and messages that are under way, are dropped.
using Look = std::function<bool(const Snapshot&)>;

class Pacing {
 public:
  virtual ~Pacing() = default;

  /// Called by a worker that has done `done` steps, in a team by its first one. False when it shall
  /// take no more.
  virtual bool next_step(Rank& rank, std::uint64_t done) = 0;
  /// Called by the others of a team, which have heard from the first one whether they go on.
  virtual void follow(int worker, std::uint64_t done, bool goes_on) = 0;
  /// The number of workers that begin each step together: those with ranks from a multiple of it.
  virtual int team() const = 0;

  /// lockstep: the step that this worker has begun takes no minibatch.
  virtual void sit_out(int worker) = 0;
  /// server: a server has closed a step with so many minibatches. REQUIRES: its model is what it is
  /// after that step; Server::close_step() calls it.
  virtual void close_step(Rank& rank, std::uint64_t minibatches) = 0;
  /// lockstep, server: no step with this number or a later one is taken.
  virtual std::uint64_t last_step() const = 0;

  /// The number of the worker's present minibatch in the common count, from 0; where the pace is
  /// not free, of the first one of its present step. Called by it.
  virtual std::uint64_t minibatch_number(int worker) const = 0;
  /// Steps done so far by all workers that the caller knows of, whatever became of them.
  virtual std::uint64_t worker_steps_done() const = 0;

  /// After the run: gathers the model from its home.
  virtual Snapshot final_snapshot(const RuntimeReport& report) = 0;
};

/// The run would go on for ever: a worker has taken a rule's `steps_of_instant` steps at one
/// moment.
[[noreturn]] void refuse_standing_clock(std::uint64_t steps_of_instant, Time now);

}  // namespace trainyard
