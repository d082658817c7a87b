// Which runs of a comparison are the same run.
//
// With --vary topology=ring,full the scheme `ring` is the same run at both points: it has no graph.
// Only what belongs to schemes is looked at, their hyperparameters and ingredients: what a scheme
// does not take cannot reach it, and no figure of a summary has it. Of other options without
// effect, the latency where nothing is sent for one, summaries say the value.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// The options at the point of a resolved run that its scheme does not take.
std::vector<OptionText> not_taken(const Configuration& resolved,
                                  const std::vector<OptionText>& varied);

/// "sequential, workers 4" of a run that is at topology ring and at topology full: its name without
/// what its scheme does not take.
std::string own_name(const RunResult& result);

/// The first run of each name and seed: what a scheme does not take makes no contestant of it, not
/// even where it was measured twice.
std::vector<const RunResult*> without_repeats(std::span<const RunResult> results);

/// For each case the first one that is the same run, which may be itself. A run in `wall` is never
/// another's: it is a measurement. Nor is one with a trace.
std::vector<std::size_t> first_of_same(const std::vector<Case>& cases);

/// Whether the option changes how long things take, and nothing else.
bool is_of_time(const std::string& option);

/// Cases of one of these texts train alike, but for their seeds: they are of one contestant, at
/// points between which only the clock differs, and nobody in them heeds the clock, or what differs
/// is a network over which they send nothing. REQUIRES: the
/// case is resolved.
std::string training_of(const Case& one);

/// The result as that of `one`, which is the same run at another point.
RunResult as_of(const Case& one, const RunResult& result);

}  // namespace trainyard
