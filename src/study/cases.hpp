// From what a comparison is asked for to the list of its runs.
#pragma once

#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// Every run, resolved, with what there is to say of it; of all of them together, `notes`. `data`:
/// those of the request's configuration; nullptr: they are loaded. Throws UsageError for what a
/// contestant that was named cannot do, and where none is left.
std::vector<Case> cases_of(const ComparisonRequest& request, const LoadedData* data,
                           const Remark& remark, std::vector<Note>& notes);

}  // namespace trainyard
