// The table of a comparison as papers have it: one unit a column, ± half of a 95 % interval of the
// mean over seeds, the best of each column in bold, and marked what differs from a baseline.
//
// In bold is the least (or the most, as of accuracies) and whatever the same seeds do not tell from
// it: a paired interval by Student's t, as of who was first (study/paired_ratio.hpp). With one seed
// nothing is known of the next, and the best alone is in bold. Contestants that stand apart, have
// diverged or lack the figure for a seed are not ranked, and rows are ranked within one point of
// the grid. A column in which nobody is better than another has no bold.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/seed_statistics.hpp"

#include "report/comparison_columns.hpp"
#include "report/markup.hpp"

namespace trainyard {

struct PaperTable {
  std::vector<DocumentRow> rows;  // the heading first
  std::vector<Note> notes;        // what ±, bold and marks mean, where there are any
};

/// `baseline`: the label of a contestant, from which others are told by the same seeds; empty:
/// none. REQUIRES: `all` is not empty.
PaperTable paper_table(const std::vector<SeedStatistics>& all, const Columns& columns,
                       const std::vector<std::string>& step_sizes, bool several_seeds,
                       const std::string& baseline);

}  // namespace trainyard
