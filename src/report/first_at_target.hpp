// The sentence under a comparison's table that says who was first at the target.
//
// Threads: any; a function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

/// The two that were first, on average, what each needs more of, and what that rests on: one seed,
/// the place of an evaluation, or seeds that bear it out. With several seeds whose ratios have 1 in
/// their 95 % interval (study/paired_ratio.hpp) nobody is called first, nor by one measurement of
/// less than a factor of two, nor who came before a message did (study/unheard.hpp). A contestant
/// at two values of what its scheme does not take is one. Of each network, data set and model for
/// itself, as far as they differ (study/circumstances.hpp). Empty where the contestants cannot be
/// ranked.
std::string first_at_target(const std::vector<SeedStatistics>& all,
                            const std::vector<RunResult>& results);

}  // namespace trainyard
