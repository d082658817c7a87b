// Columns for a terminal.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trainyard {

using TableRow = std::vector<std::string>;

/// Columns as wide as their widest cell; the first to the left, the others to the right.
std::string aligned(const std::vector<TableRow>& rows);

/// Columns of the first line on the screen: µ is two bytes and one column.
std::size_t width_of(const std::string& text);

}  // namespace trainyard
