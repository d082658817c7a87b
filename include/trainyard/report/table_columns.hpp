// The columns of a comparison's table that somebody has chosen.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The keys of figures in "train_loss,seconds": numbers of a run, as JSON has them. Throws
/// OptionError for "table-columns" where one is unknown, is there twice, or is no number.
std::vector<std::string> parse_table_columns(std::string_view text);

}  // namespace trainyard
