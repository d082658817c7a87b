// Runs that have one step size, found before they are made, and what there is to say of that.
//
// Threads: a TunedRuns is guarded by whoever has it; the functions are any thread's.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/archive.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/tuning.hpp"

namespace trainyard {

/// What a search has come to.
struct FoundSizes {
  Tuning tuning;
  std::vector<std::uint64_t> made{};  // of TunedRuns::tuned, by place: the runs that it has made
};

/// Puts them into the archive or takes them from there, if there are any.
void exchange_found(Archive& archive, std::optional<FoundSizes>& found);

/// Runs of one contestant that train alike but for their seeds, so they have one step size.
struct TunedRuns {
  std::vector<std::size_t> tuned;  // cases: those of one point, each with its seed
  bool is_tuned = false;
  std::vector<std::size_t> waiting;  // cases, until it is
  std::optional<StepSizeSearch> search;
  std::optional<FoundSizes> found;  // when it is tuned, here or in an earlier process
  std::vector<RunResult> trials;
  std::size_t outstanding = 0;            // trials
  std::exception_ptr error;               // of one of them
  std::map<std::size_t, RunResult> made;  // of cases that the search has run
};

/// Says that a larger or smaller step size may be better.
Note edge_note(const Tuning& tuning);
/// The step sizes as a summary has them.
std::vector<OptionText> texts_of(const Tuning& tuning);

/// Tells of a run that has ended as if it ran now, but for the notes that have been told.
void tell(const RunResult& result, const std::vector<Note>& told, const RunHooks& listening);

/// Before it begins, of what is not tuned yet, where it may be long: on the machine's clock, for so
/// much time, or at many points (`is_far`). Empty where it is not.
std::optional<std::string> what_tuning_costs(const std::deque<TunedRuns>& all,
                                             const std::vector<Case>& cases, bool is_far);
/// Afterwards, in steps: what a search has made that is among the results cost nothing. Empty where
/// nobody was tuned.
std::optional<Note> note_of_tuning(const std::deque<TunedRuns>& all,
                                   const std::vector<std::optional<RunResult>>& results);

}  // namespace trainyard
