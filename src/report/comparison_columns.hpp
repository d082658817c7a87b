// Which figures a comparison's table has, a column each, and what stands before them.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/run/figures.hpp"
#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

using Columns = std::vector<const Figure*>;

/// Several seeds are written as one is: their mean, and their deviation in a line beneath.
std::optional<SampleStatistics> values_of(const SeedStatistics& statistics, const Figure& figure);
std::string column_text(const Figure& figure, double value);
std::string_view column_heading(const Figure& figure);

/// In place of a mean over those runs only that have the figure: `count` of them.
std::string lacking_text(const SeedStatistics& statistics, const Figure& figure, std::size_t count);

/// Its name, and what it is apart for.
std::string contestant_text(const SeedStatistics& statistics);

/// The step sizes that differ, as tuning finds them or as they were asked for: a column each.
std::vector<std::string> step_size_columns(const std::vector<RunResult>& results);
std::string step_size_text(const Summary& summary, const std::string& name);

/// Those of these keys; of none, the usual ones that some run has.
Columns columns_of(const std::vector<SeedStatistics>& all, const std::vector<std::string>& chosen);

}  // namespace trainyard
