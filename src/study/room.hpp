// How much memory runs need, and so how many have room at once.
//
// Threads: any; functions of their arguments and of the memory account.
#pragma once

#include <optional>
#include <span>

#include "trainyard/model/model.hpp"
#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// A generous estimate for all its ranks together. REQUIRES: the case is resolved.
double bytes_of_run(const Case& one, const Model& model);

/// So many of the cases as are made at once: where their clocks allow it as many as --jobs says or
/// there are cores, as far as there is room for their fibers and for their memory. `typical`: a
/// case of each model. REQUIRES: they are resolved.
int runs_at_once(std::span<const Case> cases, std::span<const Case* const> typical,
                 const ComparisonOptions& options);
/// Says that --jobs has no effect, if it has none.
std::optional<Note> note_of_jobs(std::span<const Case> cases, const ComparisonOptions& options);

}  // namespace trainyard
