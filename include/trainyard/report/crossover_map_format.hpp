// A crossover map as text: who reaches the target first in each cell, and by what factor.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>

#include "trainyard/study/crossover_map.hpp"

namespace trainyard {

/// "table", "json" or "csv". Throws OptionError for another format of a comparison.
void check_map_format(const std::string& format);

/// A letter for each contestant; in a cell that of the first one, and how many times as fast it is
/// as the next.
std::string crossover_map_table(const CrossoverMap& map);
/// With every contestant's seconds in every cell, null where it does not reach the target or, where
/// `interrupted` is true, was not run; and `notes` as a comparison has them.
std::string crossover_map_json(const CrossoverMap& map);
/// A line for each contestant in each cell.
std::string crossover_map_csv(const CrossoverMap& map);

}  // namespace trainyard
