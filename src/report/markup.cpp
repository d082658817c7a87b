#include "report/markup.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"

namespace trainyard {

namespace {

constexpr std::string_view plus_minus = " ± ";

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

/// A number as a formula has it, in which an `e` would be a variable; empty where it is none.
std::string latex_number(std::string_view text) {
  const auto is_made_of = [](std::string_view part, const char* characters) {
    return !part.empty() && part.find_first_not_of(characters) == std::string_view::npos;
  };
  const std::size_t e = std::min(text.find('e'), text.size());
  const std::string_view digits = text.substr(0, e);
  if (!is_made_of(digits, "0123456789.")) return "";
  if (e == text.size()) return std::string(digits);
  std::string_view exponent = text.substr(e + 1);
  const bool is_negative = exponent.starts_with('-');
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size()));
  if (!is_made_of(exponent, "0123456789")) return "";
  return fmt::format("{} \\cdot 10^{{{}{}}}", digits, is_negative ? "-" : "", exponent);
}

std::string latex_cell(const DocumentCell& cell) {
  const std::string text = printable(cell.text);
  const std::size_t sign = text.find(plus_minus);
  std::string made;
  if (sign != std::string::npos) {
    const std::string mean = latex_number(std::string_view(text).substr(0, sign));
    const std::string deviation =
        latex_number(std::string_view(text).substr(sign + plus_minus.size()));
    if (!mean.empty() && !deviation.empty()) {
      const std::string formula = fmt::format("{} \\pm {}", mean, deviation);
      made = cell.bold ? fmt::format("$\\mathbf{{{}}}$", formula) : fmt::format("${}$", formula);
    }
  }
  if (made.empty()) {
    made = latex_text(text);
    if (cell.bold) made = fmt::format("\\textbf{{{}}}", made);
  }
  return cell.marked ? made + "$^{*}$" : made;
}

/// Characters that mean something to Markdown within a line: what is printed is what is read.
std::string markdown_text(std::string_view text) {
  static constexpr std::string_view marks = "\\`*_[]<>|~$&";
  std::string made;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos) made += '\\';
    made += c == '\n' || c == '\r' ? ' ' : c;
  }
  return made;
}

std::string markdown_cell(const DocumentCell& cell) {
  const std::string text = markdown_text(printable(cell.text));
  const std::string_view stars = cell.bold ? "**" : "";
  return fmt::format("{}{}{}{}", stars, text, stars, cell.marked ? " \\*" : "");
}

std::string markdown(const std::vector<DocumentRow>& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const DocumentCell& cell : rows[r]) text += fmt::format("| {} ", markdown_cell(cell));
    text += "|\n";
    if (r > 0) continue;
    text += "|---|";
    for (std::size_t c = 1; c < rows[r].size(); ++c) text += "---:|";
    text += "\n";
  }
  return text;
}

std::string latex(const std::vector<DocumentRow>& rows) {
  std::string text =
      fmt::format("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
                  std::string(rows.front().size() - 1, 'r'));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    cells.reserve(rows[r].size());
    for (const DocumentCell& cell : rows[r]) cells.push_back(latex_cell(cell));
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    if (r == 0) text += "\\midrule\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string with_deviation(const std::string& mean, const std::string& deviation) {
  return fmt::format("{}{}{}", mean, plus_minus, deviation);
}

std::string marked_up(const std::vector<DocumentRow>& rows, Markup markup) {
  return markup == Markup::markdown ? markdown(rows) : latex(rows);
}

std::string marked_up(const std::vector<TableRow>& rows, Markup markup) {
  std::vector<DocumentRow> plain;
  for (const TableRow& row : rows) {
    DocumentRow& cells = plain.emplace_back();
    for (const std::string& text : row) cells.push_back({text});
  }
  return marked_up(plain, markup);
}

std::string marked_up(const std::vector<Note>& notes, Markup markup) {
  std::string text;
  for (const Note& note : notes) {
    std::string line = printable(note.about.empty() ? note.text : with_name(note.text, note.about));
    std::ranges::replace(line, '\n', ' ');
    text += fmt::format("{} {}\n", markup == Markup::markdown ? "-" : "%", line);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace trainyard
