// A scheme's own best step size, from runs of its own.
//
// At one step size schemes are not compared fairly: where every worker's gradient is applied in
// full (ps-async, hogwild) the model moves up to n times as far in an epoch as where their mean is.
// So each scheme may be given the step size that does best for it.
//
// Grid: γ₀ · 2^k for k = −4 … 4, around the γ₀ that was asked for.
// Rounds: few steps for the whole grid, and ever more for ever fewer, as in successive halving
//   (Jamieson & Talwalkar 2016): 1/32 of the run's steps for all nine; 1/8 for the best and its two
//   neighbours; all of them, with the seeds of the run, for the best of these and its neighbours.
//   So the last round is the run itself: its best is run again only where a recorder listens. A
//   few steps prefer another step size than many do; where the best of a round is not between two
//   that are worse, the next one beyond is tried as well: in the first round until 16 powers beyond
//   the grid, in the second twice, in the last once, unless that made it more than four runs' work
//   beside the run (what is left out is said). Parts prefer larger step sizes than the whole, so in
//   the last round smaller ones are tried for as long as each gains more than a hundredth, and the
//   whole grid where all end above their start, whatever that takes. A run of a few steps or
//   cycles, of which a part is nearly all, has no parts: the grid is run whole, which is nine.
// Schedule: one of the step size, and its warm-up, are as much shorter as the run is: a cosine that
//   has hardly begun says nothing of one that has ended.
// With a target: how many steps it needs is what is to be found out. The rounds have four steps, or
//   two cycles, and each time eight times as many. In the first one every second step size of the
//   grid is tried, and then those beside the best. In the others the best runs first, and then its
//   neighbours, one after the other, until it is between two that are worse; a few steps may prefer
//   larger as well as smaller ones. Once somebody is there its neighbours are tried until it is
//   between two that are later, but for those that were half as far off again in a round of half
//   its length. None of them runs on when it is far behind (study/rival.hpp), or later than the
//   best one; with several seeds, than the best one's last and half as much again as its mean. If
//   its mean may yet be less, it runs once more, until it is or cannot be.
//   A run of one seed counts as there only if its next evaluation holds the target too: a dip is
//   luck. It ends then. With several seeds the first one that is there counts, as in the runs that
//   are shown: at the end of a pass all seeds may dip, and whether the next evaluation holds that
//   is luck.
// Work with a target, in steps of such a run at the step size that is found: of 100 targets 60 to
//   720 steps away (bench/tuning.py --targets, one seed) it was 4.2 on average and 6.4 at most; 98
//   of the step sizes are there within 5 % of the best one's time, and the others take up to 18 %
//   longer. A target that is nearer than the first round takes as many times more. Where nobody is
//   there when the run ends, a neighbour is tried only if that cannot make it more than four whole
//   runs, and what is left out is said. The run that is shown ends at its first evaluation that is
//   there, which with one seed a dip may make half as long.
// Criterion: with a target, the time until it is reached, on average over seeds; what does not
//   reach it with all seeds loses. Among those that do not: in a part of the run, how far from the
//   target they end, on average, where one that is there is not off (one lucky seed would choose
//   a step size with which the others take many times as long); at its end, with how many seeds
//   they are there. Without a target, and then, the loss at the end, of the validation rows where
//   there are any, else of the training rows. A run that diverged loses against every one that did
//   not; of equals the one nearest to γ₀ wins.
// Cycles: where something happens only every so many steps, like an average, a run has whole
//   cycles, two at least.
// Others: hyperparameters that are step sizes (HyperparameterInfo::step_size) have grids of their
//   own, one after the other in the first round, and neighbours in the later ones. Each costs up to
//   as much again.
//
// In `virtual` the result is the same each time.
//
// Threads: a search belongs to one at a time; the runs that it asks for may be made by any, at
// once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/run/run.hpp"
#include "trainyard/run/target.hpp"

namespace trainyard {

struct Rival;  // study/rival.hpp

/// "lr", and the hyperparameters of the scheme's row that are step sizes as well.
std::vector<std::string> step_sizes_of(std::string_view scheme);

struct TuningTrial {
  std::vector<double> sizes;                  // in the order of step_sizes_of()
  std::uint64_t steps = 0;                    // a worker; of all seeds together
  double loss = 0.0;                          // mean over seeds; infinite when one diverged
  std::optional<double> seconds_to_target{};  // the same
};

struct Tuning {
  std::vector<std::string> names;   // of what is tuned
  std::vector<double> sizes;        // the best of each
  std::vector<TuningTrial> trials;  // in the order in which they ran
  bool at_edge = false;             // the next one beyond was not tried for as long,
  bool edge_is_up = false;          // which is larger,
  bool edge_was_worse = false;      // and was worse in parts of the run
  bool interrupted = false;         // before the last round's end; `sizes` are the best so far
};

/// Makes the configuration one with these step sizes.
void apply(const Tuning& tuning, Configuration& configuration);

/// Asks for one batch of runs after the other:
///
///   StepSizeSearch search(runs, {"lr"}, data, "ring", remark);
///   while (!search.trials().empty()) {
///     std::vector<RunResult> ended;
///     for (std::size_t i = 0; i < search.trials().size(); ++i) {
///       ended.push_back(run search.trials()[i] with search.hooks());
///     }
///     search.take(std::move(ended));
///   }
class StepSizeSearch {
 public:
  /// `runs`: those that are tuned for, resolved, alike but for their seeds; one at least. `names`:
  /// which of step_sizes_of() are tuned; one at least. `data` outlives it; remarks name the run.
  StepSizeSearch(std::vector<Configuration> runs, std::vector<std::string> names,
                 const LoadedData& data, std::string name, Remark remark);

  /// Runs that do not depend on each other; none when it has found the step sizes.
  const std::vector<Configuration>& trials() const { return trials_; }
  /// With which a trial is to be run: it ends where it is at the target, or need not go on, as
  /// another one is ahead. May be called by several threads, until take().
  RunHooks hooks() const;
  /// Whether these may be runs that are kept; of others nobody needs the model.
  bool keeps_runs() const;
  /// How all of these ended, in their order. One that was interrupted ends the search.
  void take(std::vector<RunResult> ended);
  /// The best so far.
  const Tuning& result() const { return tuning_; }
  /// The runs with the best step sizes, one for each seed, if the last round was made of whole
  /// runs: to be kept instead of running them. Empty otherwise, and after the call.
  std::vector<RunResult> take_runs() { return std::move(kept_); }

 private:
  using Powers = std::vector<int>;  // k of each step size
  struct Candidate {
    Powers powers;
    bool is_whole = false;    // of runs that were not cut to a part
    bool ran_again = false;   // for as long as its mean may be less than the best one's
    std::size_t reached = 0;  // seeds that were at the target
    double seconds = 0.0;     // to it, of those
    double off = 0.0;         // from it at the end, all seeds together; of one that is there 0
    double loss = 0.0;        // mean
    double start = 0.0;       // mean, of the first evaluations
    double steps = 0.0;       // with all seeds
    // With a target, of each seed.
    std::vector<std::vector<Metrics>> curves{};
    std::vector<std::optional<double>> arrivals{};  // seconds
    bool is_there() const { return reached > 0 && reached == arrivals.size(); }
  };
  static bool better(const Candidate& a, const Candidate& b);
  double size_of(std::size_t which, int power) const;
  Configuration trial_of(const Powers& powers, std::size_t seed) const;
  bool is_whole() const;
  bool counts_dips() const { return runs_.size() > 1; }
  void begin_round();
  void ask_for(std::vector<Powers> asked);
  std::vector<Powers> along(std::size_t which) const;
  std::vector<Powers> untried_beside(const Powers& best) const;
  bool is_allowed(std::size_t which, int power) const;
  Candidate candidate_of(const Powers& powers, std::span<const RunResult> ended) const;
  void set_rival();
  void go_on();
  void go_on_to_target();
  std::optional<double> until_it_may_be_better(const Candidate& each, const Candidate& best) const;
  bool ask_again(const Candidate& best);
  bool was_behind(const Powers& powers, const Candidate& best) const;
  bool is_affordable(std::size_t more) const;
  bool gains_downwards(const Candidate& best) const;
  bool was_worse(const Powers& powers) const;
  void end_round(bool at_edge);
  void say(const std::string& text) const;
  std::string text_of(const std::vector<double>& sizes) const;

  const std::vector<Configuration> runs_;
  const LoadedData& data_;
  const std::string name_;
  const Remark remark_;
  const std::vector<double> parts_;  // of the run's steps, of each round
  std::vector<double> first_;        // γ₀ of each step size
  Tuning tuning_;
  std::size_t round_ = 0;
  std::size_t grids_ = 0;                        // asked for in the first round
  int extensions_ = 0;                           // left in this round
  double asked_runs_ = 0.0;                      // as many whole runs as all trials so far
  Powers best_;                                  // so far
  std::vector<Candidate> tried_;                 // in this round
  std::vector<std::vector<Candidate>> earlier_;  // in those before
  std::vector<RunResult> kept_;                  // whole runs of the best of them, one a seed
  double spent_ = 0.0;                           // steps of all trials
  bool is_drifting_up_ = false;                  // where the best one moved last
  bool runs_again_ = false;                      // those that have been asked for
  std::vector<Powers> asked_;                    // those of trials_, each with all seeds
  std::vector<Configuration> trials_;
  std::shared_ptr<const Rival> rival_;  // of trials_; none without a target
};

/// All of it, one run after the other. Its `remark` and `interrupted` are taken from the hooks.
Tuning tune_step_size(const Configuration& resolved, const LoadedData& data, const RunHooks& hooks);

}  // namespace trainyard
