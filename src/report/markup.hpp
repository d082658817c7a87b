// Tables for documents.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard {

/// A cell with a mean and its standard deviation. In LaTeX numbers without a unit are set as one
/// formula.
std::string with_deviation(const std::string& mean, const std::string& deviation);

/// The first row is the heading, the first column stands to the left, the others to the right.
/// LaTeX: a tabular with booktabs' rules. REQUIRES: all rows are as long.
std::string marked_up(const std::vector<TableRow>& rows, Markup markup);

/// The notes beneath them: a list in Markdown, comments in LaTeX. Empty where there is nothing.
std::string marked_up(const std::vector<Note>& notes, Markup markup);

}  // namespace trainyard
