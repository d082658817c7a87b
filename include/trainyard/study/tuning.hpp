// A scheme's own best step size, from short runs.
//
// At one step size schemes are not compared fairly: where every worker's gradient is applied in
// full (ps-async, hogwild) the model moves up to n times as far in an epoch as where their mean is.
// So each scheme may be given the step size that does best for it.
//
// Grid: γ₀ · 2^k for k = −4 … 4, around the γ₀ that was asked for.
// Rounds: successive halving (Jamieson & Talwalkar 2016). All run with a quarter of the last
// round's
//   budget, the better half of them (rounded up) with a half of it, the better half of these with
//   all of it. A run begins anew each time, with the seed of the run itself.
// Budget: the last round's is a quarter of the run's steps and seconds, and at most four epochs.
//   Together this is about two of the runs that follow, or less. Where something happens only every
//   so many steps, like an average, it is rounded up to whole cycles, two at least.
// Criterion: the training loss at the end of the short run. A run that diverged loses against every
//   one that did not; of equals the one nearest to γ₀ wins.
// Edge: while the best of a round is the largest or the smallest tried so far, or all diverged, the
//   next one beyond is tried in the same round, and said; at most 16 beyond the grid.
//
// In `virtual` the result is the same each time. A short run sees little of the noise that a large
// step size ends in: where that matters, compare with --lr-decay, or at step sizes of your own.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

struct TuningTrial {
  double lr = 0.0;
  std::uint64_t steps = 0;  // a worker
  double loss = 0.0;        // infinite when it diverged
};

struct Tuning {
  double lr = 0.0;                  // the best
  std::vector<TuningTrial> trials;  // in the order in which they ran
  bool at_edge = false;             // even the extended grid ends there
  bool interrupted = false;         // before the last round's end; `lr` is the best so far
};

/// REQUIRES: `resolved` comes from resolve(), and names its scheme.
Tuning tune_step_size(const Configuration& resolved, const LoadedData& data, const RunHooks& hooks);

}  // namespace trainyard
