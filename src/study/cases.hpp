// From what a comparison is asked for to the list of its runs.
#pragma once

#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// Every run, resolved, with what there is to say of it; of all of them together, `notes`; and who
/// of a group cannot, `left_out`. Of the hooks `remark` hears what is decided, and `begun` is asked
/// for what was measured before. `data`: those of the request's configuration; nullptr: they are
/// loaded. Throws UsageError for what a contestant that was named cannot do, and where none is
/// left.
std::vector<Case> cases_of(const ComparisonRequest& request, const LoadedData* data,
                           const ComparisonHooks& hooks, std::vector<Note>& notes,
                           std::vector<LeftOut>& left_out);

}  // namespace trainyard
