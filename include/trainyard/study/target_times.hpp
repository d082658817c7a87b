// What advice lacks: how many passes over the data each way to talk needs until a target, and so
// how long that takes on the machines that it is asked about.
//
//   const Advice advice = advise(question);
//   const ComparisonRequest runs = target_runs(question, advice, training, 3);
//   const TargetTimes times = times_to_target(advice, runs, data, {}, seeds_of_finalists);
//   times.ways.front().label;  // the soonest
//
// Passes come from runs on data at hand, in simulated time on those machines and links, each way at
// its own best step size (study/tuning.hpp), over some seeds; and once more over more of them where
// it may be first: passes to a loss are of few values, far apart (the ends of passes, meetings), so
// that three seeds agree where a fourth does not; and over still more where ten leave open who is
// first, as one seed in ten may take seven times as long as the others. A step of those that are
// `as_one` is the same to the bits of its sums, so that one of them runs for all. Time is then
// passes × rows ÷ rate, with the rate that advice predicts: of a model of the length that was asked
// about, which need not be the one that the runs had.
//
// Threads: the calling one, and those that runs start, which have ended when it returns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/study/comparison.hpp"

namespace trainyard {

struct TargetTime {
  std::string label{};
  double step_size = 0.0;  // γ that was found for it
  /// What to run: the scheme, with what its label sets and all step sizes that were found for it.
  std::string scheme{};
  std::vector<OptionText> settings{};
  /// Of its runs, what qualifies their times: "note: diloco needs 50 steps to …".
  std::vector<Note> remarks{};
  std::optional<double> passes{};  // mean over seeds; empty: some seed did not come to the target
  /// Half of Student's 95 % interval of the mean, in passes; empty of one seed.
  std::optional<double> half_width{};
  std::optional<double> seconds{};  // to the target
  int seeds = 1;                    // of those means
  /// At the target before any message had come (study/unheard.hpp): only an average that no worker
  /// holds is there, so that this says nothing.
  bool unheard = false;
};

struct TargetTimes {
  std::string target{};                 // "training loss 0.35"
  std::size_t rows = 0;                 // of a pass
  int seeds = 1;                        // of each way at least
  double most_passes = 0.0;             // after which a run ended without it
  double evaluate_every = 0.0;          // passes: those that are fewer are rough
  std::vector<TargetTime> ways{};       // the soonest first; those that did not come there last
  bool at_start = false;                // some model is at the target before the first step
  std::vector<std::string> left_out{};  // "ssp: why it cannot run so"
  bool interrupted = false;             // some ways are missing
  bool finals_interrupted = false;      // some that may be first have fewer seeds than they should
};

/// The runs that tell: of the data, model, optimizer and target of `of_data`, on the machines and
/// links of the question, for the contestants that advise() names. REQUIRES: `of_data` has a
/// target.
ComparisonRequest target_runs(const AdviceQuestion& question, const Advice& advice,
                              const Configuration& of_data, int seeds);

/// What is about to be trained, and how long it may take.
std::string note_before(const ComparisonRequest& target_runs, const LoadedData& data,
                        int finalists);

/// Whether the passes of the two, with their intervals, leave open who is sooner. Those that learn
/// as one have the same passes, and rates tell them apart. REQUIRES: both have times.
bool is_open(const TargetTime& first, const TargetTime& second);

/// Over how many seeds those run that may be first.
inline constexpr int seeds_of_finalists = 10;
/// And over so many times as many those that these leave open.
inline constexpr int times_more_where_open = 3;

/// `finalists`: over so many seeds, if they are more, each way runs that is at most half as much
/// again behind the first, or whose interval reaches the first's; and those whose interval reaches
/// it then, with the first, over times_more_where_open times as many. Throws as run_comparison()
/// does.
TargetTimes times_to_target(const Advice& advice, const ComparisonRequest& runs,
                            const LoadedData& data, const ComparisonHooks& hooks,
                            int finalists = 0);

}  // namespace trainyard
