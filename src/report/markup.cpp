#include "report/markup.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Characters that mean something to LaTeX, and those that its usual fonts lack.
std::string latex_text(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> replaced[] = {
      {"\\", "\\textbackslash{}"},
      {"&", "\\&"},
      {"%", "\\%"},
      {"$", "\\$"},
      {"#", "\\#"},
      {"_", "\\_"},
      {"{", "\\{"},
      {"}", "\\}"},
      {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"},
      {"±", "$\\pm$"},
      {"µ", "$\\mu$"},
      {"²", "$^2$"},
  };
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const auto* found = std::begin(replaced);
    while (found != std::end(replaced) && !text.substr(i).starts_with(found->first)) ++found;
    if (found == std::end(replaced)) {
      made += text[i++];
    } else {
      made += found->second;
      i += found->first.size();
    }
  }
  return made;
}

std::string markdown_text(std::string_view text) {
  std::string made;
  for (const char c : text) made += c == '|' ? "\\|" : std::string(1, c);
  return made;
}

std::string markdown(const std::vector<TableRow>& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::string& cell : rows[r]) text += fmt::format("| {} ", markdown_text(cell));
    text += "|\n";
    if (r > 0) continue;
    text += "|---|";
    for (std::size_t c = 1; c < rows[r].size(); ++c) text += "---:|";
    text += "\n";
  }
  return text;
}

std::string latex(const std::vector<TableRow>& rows) {
  std::string text =
      fmt::format("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
                  std::string(rows.front().size() - 1, 'r'));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    cells.reserve(rows[r].size());
    for (const std::string& cell : rows[r]) cells.push_back(latex_text(cell));
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    if (r == 0) text += "\\midrule\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string marked_up(const std::vector<TableRow>& rows, Markup markup) {
  return markup == Markup::markdown ? markdown(rows) : latex(rows);
}

}  // namespace trainyard
