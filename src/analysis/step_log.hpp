// The course of a run in simulated time, as far as it is needed to say what a step takes: a mark at
// each step of one rank, in between everybody's steps.
//
//   StepLog log(Pace::free, workers, cycle);
//   hooks.wrap_pacing = [&](Pacing& pacing) { return log.watch(pacing); };
//
// Threads: those of a run in simulated time, of which one runs at a time; then one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/steps.hpp"

namespace trainyard {

/// The state of a run when one worker begins a step, or, where servers close the steps, when the
/// first of them has closed one. Counts are those since the run began.
struct StepMark {
  Time at{0};
  /// Whoever subtracts one from another has what so many steps took. lockstep, server: the mark's
  /// own moment and the number of its step. free: the mean over the workers of when each began its
  /// latest step, in picoseconds, and of how many each has begun. Each worker's part of the first
  /// is at least its shortest step times its part of the second, at whatever phase it is.
  double clock_ps = 0.0, steps = 0.0;
  std::uint64_t minibatches = 0;  // that the model learns from, of all workers
  std::uint64_t messages = 0, bytes = 0, received = 0;  // sent, and messages taken in
  /// A hash of how long ago each worker began its latest step, and of where that step is in its
  /// cycle. Equal at two marks where the run is in the same state.
  std::uint64_t phase = 0;

  std::uint64_t under_way() const { return messages - received; }
};

class StepLog {
 public:
  /// `cycle` ≥ 1: in how many steps of a worker everything has happened that happens in cycles.
  /// `marker`: the worker at whose steps there are marks.
  StepLog(Pace pace, int workers, std::uint64_t cycle, int marker);

  /// Outlived by the log.
  std::unique_ptr<Pacing> watch(Pacing& pacing);

  /// Up to where the first worker was told to take no more steps. One a step, or, of a long cycle,
  /// one a `stride` of steps.
  const std::vector<StepMark>& marks() const { return marks_; }
  std::uint64_t stride() const { return stride_; }

 private:
  friend class WatchedPacing;

  void begins(int worker, Time now, std::uint64_t done);
  /// A mark of the rank's, now.
  void mark(Rank& rank);
  std::uint64_t phase_at(Time now) const;

  struct Worker {
    Time began{0};
    std::uint64_t steps = 0;  // begun
  };
  const Pace pace_;
  const std::uint64_t cycle_, stride_;
  const int marker_;
  std::vector<Worker> workers_;
  std::vector<StepMark> marks_;
  std::uint64_t begun_ = 0, sat_out_ = 0, closed_ = 0, learnt_ = 0;
  double sum_of_begins_ps_ = 0.0;
  bool ending_ = false;
};

}  // namespace trainyard
