// Columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

using TableRow = std::vector<std::string>;

/// Columns as wide as their widest cell; the first to the left, the others to the right.
std::string aligned(const std::vector<TableRow>& rows);

}  // namespace trainyard
