// Which way to share one machine's memory, and with how many threads: what advice for one large
// machine rests on.
//
//   const ComparisonRequest runs = thread_runs(configuration, this_machine().cores, 3);
//   const ThreadTimes times = thread_times(runs, data, {});
//   times.ways.front();  // the soonest at the target
//
// Nothing is modelled: every way trains on this machine's clock, pinned as any run is, with 1, 2, 4
// … threads and with all cores, each at its own best step size, to the target, over some seeds.
// What a cache line costs that others write, what memory brings, how dense rows are and how old a
// model gets are all in the time. Other programs on the machine are, too.
//
// Threads: the calling one, and those of the runs, one run after another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

struct ThreadTime {
  std::string way{};  // "hogwild-split"
  int threads = 1;
  double step_size = 0.0;  // γ that was found for it
  double rate = 0.0;       // rows a second, mean over seeds
  // Of all seeds, if each came to the target:
  std::optional<double> passes{}, seconds{};  // means
  std::optional<double> half_width{};  // of Student's 95 % interval of the mean time, in seconds
  /// At the target before anybody had heard of another (study/unheard.hpp): it says nothing.
  bool unheard = false;
};

struct ThreadTimes {
  std::string target{};   // "training loss 0.35"
  std::string machine{};  // "AMD EPYC, 16 cores, 1 NUMA node"
  int cores = 1;
  int seeds = 1;
  double most_passes = 0.0;             // after which a run ended without it
  std::vector<ThreadTime> ways{};       // the soonest first; those that did not come there last
  bool at_start = false;                // the model is at the target before the first step
  std::vector<std::string> left_out{};  // "hogwild: why it cannot run so"
  bool interrupted = false;             // some ways are missing

  /// The one of one thread; nullptr where it is missing.
  const ThreadTime* alone() const;
};

/// 1, 2, 4 … below `cores`, and `cores`.
std::vector<int> thread_counts(int cores);
/// The ways to share memory that it looks at beside one thread, as contestants are typed.
std::vector<std::string> ways_to_share();

/// The runs that tell: of the data, model, optimizer and target of `of_data`, without a network.
/// REQUIRES: `of_data` has a target; cores >= 1.
ComparisonRequest thread_runs(const Configuration& of_data, int cores, int seeds);

/// What is about to be trained, and how long it takes at least.
std::string note_before_threads(const ComparisonRequest& thread_runs, const LoadedData& data);

/// Throws as run_comparison() does.
ThreadTimes thread_times(const ComparisonRequest& runs, const LoadedData& data,
                         const ComparisonHooks& hooks);

}  // namespace trainyard
