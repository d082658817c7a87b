// The implementation of next_step() for ranks that share memory (pacing.hpp): it counts their
// steps, asks the run's rule (steps.hpp) whether another one begins, and has the run looked at when
// the rule says so.
//
// Threads: each function says whose rank calls it; ranks call at the same time. Counts are relaxed
// atomics on lines of their own: what they count is published by messages, or while all stand
// still.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/runtime/deposits.hpp"
#include "trainyard/runtime/model_gatherer.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/steps.hpp"

namespace trainyard {

class Pacer final : public Pacing {
 public:
  /// `interrupted` is watched. `state` outlives it, and has what was done before this leg.
  Pacer(const StepRule& rule, RunState& state, Look look, const std::atomic<bool>& interrupted);

  bool next_step(Rank& rank, std::uint64_t done) override;
  void follow(int worker, std::uint64_t done, bool goes_on) override;
  int team() const override { return rule_.team; }
  void sit_out(int worker) override {
    // relaxed: a flag for its own worker, which counts the step when it has done it.
    progress_of(worker).sat_out.fetch_or(sits_out, std::memory_order_relaxed);
  }
  void close_step(Rank& rank, std::uint64_t minibatches) override;
  std::uint64_t last_step() const override {
    // relaxed: it changes only while all ranks stand still.
    return last_step_.load(std::memory_order_relaxed);
  }
  std::uint64_t minibatch_number(int worker) const override {
    const Progress& own = progress_[static_cast<std::size_t>(worker)];
    if (rule_.pace == Pace::free) {
      return own.lot_end - static_cast<std::uint64_t>(rule_.team) * own.steps_left;
    }
    // relaxed: its own count.
    return own.done.load(std::memory_order_relaxed) * static_cast<std::uint64_t>(rule_.workers);
  }
  /// Reads a line of each worker.
  std::uint64_t worker_steps_done() const override;
  Snapshot final_snapshot(const RuntimeReport& report) override;
  /// What has been done goes into the state, for another leg. REQUIRES: all ranks have ended.
  void put_down();
  /// lockstep: so many steps all workers have done, and so many some worker has begun. REQUIRES:
  /// all ranks have ended, or were ended, or stand still.
  std::uint64_t steps_of_all() const;
  std::uint64_t steps_of_any() const;
  /// The leg has ended because it was time to meet, and there are steps left. REQUIRES: the same.
  bool has_more_legs() const;

 private:
  static constexpr std::uint64_t sits_out = std::uint64_t{1} << 63U;  // the step under way
  /// A worker's own line: what it writes at every step.
  struct alignas(64) Progress {
    std::atomic<std::uint64_t> begun{0}, done{0};  // steps
    std::atomic<std::uint64_t> sat_out{0};         // of those done; with a flag, sits_out
    // free: minibatches taken off the common count, and the number behind its last step.
    std::uint64_t lot = 0, lot_end = 0;
    std::uint64_t steps_left = 0;        // with the present one, until the rule must be asked
    Time instant{-1};                    // the clock at its latest step
    std::uint64_t first_of_instant = 0;  // of its steps
  };
  static_assert(sizeof(Progress) == 64);
  static std::uint64_t steps_sat_out(const Progress& own) {
    // relaxed: a count that is read while all stand still, or by its own worker.
    return own.sat_out.load(std::memory_order_relaxed) & ~sits_out;
  }
  /// A server's own line.
  struct alignas(64) Closed {
    std::atomic<std::uint64_t> steps{0}, minibatches{0};
  };

  Progress& progress_of(int worker) { return progress_[static_cast<std::size_t>(worker)]; }
  bool ask(Rank& rank, Progress& own, std::uint64_t done);
  Verdict verdict_on(StepCounts& counts, Rank& rank, Progress& own) const;
  void count_lot(Progress& own, StepCounts& counts);
  bool claim_lot(Progress& own);
  std::uint64_t steps_closed() const;
  void count_done(Snapshot& snapshot) const;
  void look_after(Rank& rank, const StepCounts& counts);
  void look(Rank& rank, Snapshot snapshot, const GatheredModel& model);
  void wind_up(Rank& rank);
  void meet(Rank& rank);
  void end_after_steps_begun();
  std::uint64_t steps_closed_by_any() const;
  void limit_waits(Rank& rank);
  void stopped(Rank& rank);
  void go_on_from_state();

  const StepRule rule_;
  RunState& state_;
  const Look look_;
  const std::atomic<bool>& interrupted_;

  const std::uint64_t others_;        // RunState::minibatches_of_others()
  std::uint64_t looked_before_ = 0;   // lockstep: the leg began after so many steps of a worker
  std::uint64_t claimed_before_ = 0;  // free: after so many minibatches
  std::vector<Progress> progress_;
  std::vector<Closed> closed_;
  std::mutex looked_at_mutex_;
  std::uint64_t looked_at_ = 0;              // server: after so many steps
  std::atomic<std::uint64_t> last_step_;     // lockstep, server: none with this number begins
  std::atomic<std::uint64_t> claimed_{0};    // free: minibatches taken off the common count
  std::atomic<std::uint64_t> completed_{0};  // free: minibatches done
  std::atomic<bool> ending_{false}, meeting_{false};
  std::atomic<int> stopped_{0};  // by the clock, not free: workers that take no more steps
  std::atomic<bool> waits_are_limited_{false};  // by the clock, free

  Deposits deposits_;  // lockstep
  ModelGatherer gatherer_;
};

}  // namespace trainyard
