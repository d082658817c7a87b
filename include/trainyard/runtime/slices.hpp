// A worker's slices: its own copies of those lines of the shared model that most rows touch
// (hot_lines.hpp), and their reconciliation.
//
//   SharedSteps shared(worker);
//   Slices slices(worker, shared);
//   while (worker.next_step()) {
//     shared.descend(access);
//     slices.reconcile(access);
//   }
//   slices.reconcile_rest(access);
//
// Staleness is then recorded for reconciliations, and not for steps: the steps that others have
// taken since the worker last saw the line. Without hot lines nothing is done.
//
// Threads: belongs to its worker's rank; the shared model is read and written by several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/shared_model.hpp"

namespace trainyard {

class SharedSteps;
class Worker;

class Slices {
 public:
  /// `worker` outlives it.
  Slices(Worker& worker, SharedSteps& shared);

  /// At the end of each step: reconciles the lines whose turn it is (HotLines::Turn), each a change
  /// of the shared model by `access`. Takes what these lines take in simulated time.
  void reconcile(SharedAccess access);
  /// At the worker's end: adds what is left in lines whose turn has not come, for those who go on.
  void reconcile_rest(SharedAccess access);

 private:
  void reconcile_slots(std::pair<std::size_t, std::size_t> slots, std::uint64_t others,
                       SharedAccess access);
  void touch_slots(std::size_t first, std::size_t end);
  std::uint64_t steps_of_others() const;

  // Written by the constructor.
  Worker& worker_;
  Rank& rank_;
  const RunContext& context_;
  SharedModel& shared_;
  const int group_;            // whose model that is
  const HotLines* const hot_;  // nullptr: there are none
  // Written by each visit.
  std::uint64_t visits_ = 0;                // done
  std::uint64_t steps_to_visit_ = 0;        // until the next one, this step included
  std::vector<std::uint64_t> others_then_;  // a slot: the others' steps when it was reconciled
};

}  // namespace trainyard
