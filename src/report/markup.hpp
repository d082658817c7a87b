// Tables for documents.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard {

/// A mean and how far it may be off. In LaTeX numbers without a unit are set as one formula.
std::string with_deviation(const std::string& mean, const std::string& deviation);

struct DocumentCell {
  std::string text{};
  bool bold = false;
  bool marked = false;  // by an asterisk
};
using DocumentRow = std::vector<DocumentCell>;

/// The first row is the heading, the first column stands to the left, the others to the right.
/// LaTeX: a tabular with booktabs' rules. REQUIRES: all rows are as long.
std::string marked_up(const std::vector<DocumentRow>& rows, Markup markup);
std::string marked_up(const std::vector<TableRow>& rows, Markup markup);

/// The notes beneath them: a list in Markdown, comments in LaTeX. Empty where there is nothing.
std::string marked_up(const std::vector<Note>& notes, Markup markup);

}  // namespace trainyard
