// How often to write a checkpoint, where a failure loses what was computed since the last one.
//
// The work of T_s is cut into segments of τ. Each of them, and the checkpoint of δ that follows it,
// are done without a failure or are done again, after a restart of R. Failures are exponential, of
// mean M: they come at any time, during checkpoints and restarts, too, and any of them stops all.
//
//   T_w = M e^{R/M} (e^{(τ+δ)/M} − 1) T_s/τ           the expected time of the run (Daly 2006)
//   τ = √(2δM)                                        Young 1974: the minimum to the first order,
//                                                     for δ ≪ M
//   τ = √(2δM) (1 + ⅓ √(δ/2M) + (1/9) δ/2M) − δ       Daly 2006: to a higher order; M from δ = 2M
//   on τ = M (1 + W₀(−e^{−1−δ/M}))                       the minimum: e^{−(τ+δ)/M} = 1 − τ/M
//
// W₀ is the principal branch of Lambert's function. τ is work: from the beginning of one checkpoint
// to that of the next it is τ + δ without a failure. Neither R nor T_s changes the best τ. Daly's
// figures 3 to 5 (δ = 5 min, R = 10 min, T_s = 500 h) have 117, 57 and 9.1 min for M = 24 h, 6 h
// and 15 min. T_w counts T_s/τ segments, which need not be a whole number: it is right for T_s ≫ τ.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>

namespace trainyard {

/// All in seconds.
struct CheckpointTask {
  double checkpoint_s = 0.0;      // δ ≥ 0
  double restart_s = 0.0;         // R ≥ 0
  double mtbf_s = 1.0;            // M > 0, of all machines together
  std::optional<double> run_s{};  // T_s > 0: the work alone; empty: not known
};

/// Machines that fail independently of each other, where a failure of any stops all.
struct WorkerFailures {
  int workers = 1;      // > 0
  double mtbf_s = 1.0;  // mean time between failures of each of them
};

/// M of all together, in seconds: that of each by their number.
double mtbf_of_all(const WorkerFailures& each);

/// τ in seconds; 0 where a checkpoint takes no time.
double young_interval(const CheckpointTask& task);
double daly_interval(const CheckpointTask& task);
/// The τ of the least T_w, to some 1e-15 of itself; at most M.
double optimal_interval(const CheckpointTask& task);

/// What a run with checkpoints comes to on average.
struct CheckpointedRun {
  double interval_s = 0.0;  // τ
  /// T_w/T_s. Infinity where it is beyond any number that a double holds: the run never ends.
  double factor = 1.0;
  /// Of T_w: T_s; the checkpoints that last, T_s δ/τ; work done again, checkpoints that failed, and
  /// restarts. They sum to 1.
  double work_share = 1.0, checkpoint_share = 0.0, lost_share = 0.0;
  /// T_w in seconds and the failures during it, T_w/M. Empty where T_s is not known.
  std::optional<double> expected_s{}, failures{};
};

/// With a checkpoint after each `interval_s` ≥ 0 of work. Where that is longer than the run there
/// is one checkpoint, at its end, and T_w is that of τ = T_s.
CheckpointedRun checkpointed(const CheckpointTask& task, double interval_s);

struct CheckpointedSteps {
  std::uint64_t steps = 1;  // from one checkpoint to the next
  CheckpointedRun run{};
};

/// With checkpoints at the ends of steps alone: the whole number of steps of the least T_w, which
/// is one of those next to τ/c, and at least 1. REQUIRES: step_s, c, is above 0.
CheckpointedSteps checkpointed_steps(const CheckpointTask& task, double step_s);

}  // namespace trainyard
