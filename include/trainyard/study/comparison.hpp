// Runs several contestants on one configuration, at each point of a grid, with several seeds.
//
//   ComparisonRequest request{.configuration = c,
//                             .contestants = parse_contestants("ring,gossip:one-peer-exp"),
//                             .variations = {parse_variation("latency=10us,1ms")},
//                             .options = {.seeds = 3}};
//   const Compared compared = run_comparison(request, data, {});
//
// Threads: the calling one. In simulated time it makes as many runs at once as `jobs` says, and
// calls the hooks from their threads; all have ended when it returns. Results do not depend on it.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/variation.hpp"
#include "trainyard/data/archive.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

struct BegunCase;  // begun_comparison.hpp

/// Which contestants have their own best step sizes (tuning.hpp), at each point at which training
/// differs.
enum class StepSizes {
  as_given,            // nobody
  tuned_where_unsaid,  // those for whom nobody says one: no option given, varied, or of their own
  tuned                // all, around what is said
};

struct ComparisonOptions {
  int seeds = 1;  // of all that, with seeds s, s + 1, …
  StepSizes step_sizes = StepSizes::as_given;
  int jobs = 0;  // runs at once in simulated time; 0: one for each core
  /// Of its tables, by the keys of figures (report/table_columns.hpp); empty: the usual ones.
  std::vector<std::string> columns{};
  /// The label of a contestant, from whose figures those of others are told by the same seeds, in
  /// tables for documents; empty: none.
  std::string baseline{};
};

struct ComparisonRequest {
  Configuration configuration;  // what all runs have in common; its scheme is not used
  std::vector<Contestant> contestants;
  std::vector<Variation> variations{};  // each contestant at each point of their grid
  ComparisonOptions options{};
};

/// One run of a comparison.
struct Case {
  std::string label;                 // of the contestant
  std::vector<OptionText> settings;  // its own
  std::vector<OptionText> varied;    // the point of the grid
  Configuration configuration;       // without gaps
  std::shared_ptr<const LoadedData> data;
  std::filesystem::path folder;  // under --out: "seed-7/latency-1ms", empty where there is but one
  std::vector<Note> notes{};     // of its data, and of what was decided
  std::vector<std::string> tuned{};  // its step sizes that tuning finds (step_sizes_of())
  /// The place, like one machine, in which its workers share memory, while others talk over a
  /// network: it then stands apart (run/one_machine.hpp).
  std::optional<std::string> within{};
  std::vector<std::string> measured{};  // options whose values were measured on this machine
};

/// "gossip{topology=torus}, latency 1ms".
std::string name_of(const Case& one);
/// Of its results below --out: "seed-7/latency-1ms/gossip-topology-torus".
std::filesystem::path folder_of(const Case& one);

/// Hears of one run, on the thread that makes it.
class CaseListener {
 public:
  virtual ~CaseListener() = default;
  virtual RunHooks hooks() = 0;
  /// Before ended(): what ComparisonHooks::ended_before is to return in another process.
  virtual void keeps(Archive&& /*kept*/) {}
  virtual void ended(const RunResult& result) = 0;
  /// It threw; the comparison goes on with the next run, unless it was interrupted.
  virtual void failed(std::exception_ptr error) = 0;
};

struct ComparisonHooks {
  /// Hears decisions and their reasons, and notes.
  Remark remark{};
  /// All cases are known, and none has run; so many will at once. What it throws ends the
  /// comparison.
  std::function<void(const std::vector<Case>&, int jobs)> planned{};
  /// Called when a case begins, with its tuned step size. Without it the first exception of a run
  /// is rethrown.
  std::function<std::unique_ptr<CaseListener>(const Case&)> begins{};
  const std::atomic<bool>* interrupted = nullptr;

  // Of a comparison that goes on where another process was interrupted.
  /// What was known of the case when it began; nullptr: nothing. What was measured for it then is
  /// not measured anew. Asked when the case is made, with its name and folder.
  std::function<const BegunCase*(const Case&)> begun{};
  /// What CaseListener::keeps() was given of the run when it had ended: it is not made again, and
  /// nobody hears of it. Asked after `planned`, of each case; of cases that are tuned together, one
  /// that has ended tells the others their step size.
  std::function<std::optional<Archive>(const Case&)> ended_before{};
};

/// A contestant of a group that cannot run what is asked, at a point of the grid.
struct LeftOut {
  std::string label;   // as name_at() has it
  std::string reason;  // what it would have thrown, had it been named
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Compared {
  std::vector<RunResult> runs;
  std::vector<Note> notes;  // of all of them together; each run has its own beside these
  /// Runs that were asked for and are not there, interrupted before their first step or failed:
  /// "gossip, latency 1ms, seed 2".
  std::vector<std::string> lacking{};
  std::vector<LeftOut> left_out{};  // each with each of its reasons; notes say so, too
};

/// Results in the order of seeds, points of the grid, and contestants. `data` are those of the
/// request's configuration; where an option varies which, others are loaded.
///
/// One clock for all: `--time auto` is wall where the run with the most ranks has a core for each.
/// A minibatch's compute time is measured once for each model, data and batch. Step sizes are tuned
/// once for all points between which only the clock differs, where training does not heed it. A
/// contestant of a group that cannot run what is asked is left out, and said.
///
/// Without a target, runs on the same objective (data, model, λ) and of one seed have the training
/// loss as target that all of them reached (the worst of their best; those that diverged or were
/// interrupted or never got below their start left out). It is known only at the end: `ended` is
/// told of a run without a target. Where `sequential` is among the contestants, the others have
/// their speed-up over it to the target, of the same seed, point, objective and target.
///
/// With runs that have ended before, the results are those of a comparison that was not
/// interrupted: in simulated time to the bit, but for their models, which are not kept.
///
/// An interrupt ends the runs under way, with the results so far. Where there are several seeds or
/// points, results lack their models once `ended` has been told.
Compared run_comparison(const ComparisonRequest& request, const LoadedData& data,
                        const ComparisonHooks& hooks);
/// Loads all data by itself: those that some run asks for.
Compared run_comparison(const ComparisonRequest& request, const ComparisonHooks& hooks);

}  // namespace trainyard
