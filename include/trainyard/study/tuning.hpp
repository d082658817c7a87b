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
// Budget: the last round's is a quarter of the run's steps and seconds, and at most four epochs;
//   with a target it is the whole run, which ends when it is there. Together this is about two of
//   the runs that follow, or less. Where something happens only every so many steps, like an
//   average, it is rounded up to whole cycles, two at least.
// Criterion: with a target, the time until it is reached; what does not reach it loses. Otherwise,
//   and among those that do not, the training loss at the end of the short run. A run that diverged
//   loses against every one that did not; of equals the one nearest to γ₀ wins.
// Edge: while the best of a round is the largest or the smallest tried so far, or all diverged, the
//   next one beyond is tried in the same round, and said; at most 16 beyond the grid.
//
// In `virtual` the result is the same each time. A short run sees little of the noise that a large
// step size ends in: where that matters, compare with --lr-decay, or at step sizes of your own.
//
// Threads: a search belongs to one at a time; the runs that it asks for may be made by any, at
// once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

struct TuningTrial {
  double lr = 0.0;
  std::uint64_t steps = 0;  // a worker
  double loss = 0.0;        // infinite when it diverged
  std::optional<double> seconds_to_target{};
};

struct Tuning {
  double lr = 0.0;                  // the best
  std::vector<TuningTrial> trials;  // in the order in which they ran
  bool at_edge = false;             // even the extended grid ends there
  bool interrupted = false;         // before the last round's end; `lr` is the best so far
};

/// Asks for one batch of short runs after the other:
///
///   StepSizeSearch search(resolved, data, "ring", remark);
///   while (!search.trials().empty()) {
///     std::vector<Summary> ended;
///     for (const Configuration& trial : search.trials()) ended.push_back(run it);
///     search.take(ended);
///   }
class StepSizeSearch {
 public:
  /// `data` outlives it; remarks name the run. REQUIRES: `resolved` comes from resolve().
  StepSizeSearch(const Configuration& resolved, const LoadedData& data, std::string name,
                 Remark remark);

  /// Runs that do not depend on each other; none when it has found the step size.
  const std::vector<Configuration>& trials() const { return trials_; }
  /// How all of these ended, in their order. One that was interrupted ends the search.
  void take(const std::vector<Summary>& ended);
  /// The best so far.
  const Tuning& result() const { return tuning_; }

 private:
  struct Candidate {
    int power = 0;
    double loss = 0.0;
    std::optional<double> seconds_to_target{};
  };
  static bool better(const Candidate& a, const Candidate& b);
  double lr_of(int power) const;
  Configuration short_run() const;
  void ask_for(const std::vector<int>& powers);
  std::optional<int> beyond_edge();
  void end_round();
  void say(const std::string& text) const;

  const Configuration run_;
  const LoadedData& data_;
  const std::string name_;
  const Remark remark_;
  Tuning tuning_;
  int round_ = 0;
  int lowest_, highest_;    // powers of two tried so far
  std::vector<int> asked_;  // those of trials_
  std::vector<Configuration> trials_;
  std::vector<Candidate> candidates_;  // of this round
};

/// All of it, one run after the other. Its `remark` and `interrupted` are taken from the hooks.
Tuning tune_step_size(const Configuration& resolved, const LoadedData& data, const RunHooks& hooks);

}  // namespace trainyard
