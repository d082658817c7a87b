#include "report/aligned.hpp"

#include <algorithm>

namespace trainyard {

std::string aligned(const std::vector<TableRow>& rows) {
  const auto width_of = [](const std::string& cell) {  // µ is two bytes and one column
    return static_cast<std::size_t>(
        std::ranges::count_if(cell, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
  };
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - width_of(row[c]), ' ');
      line += c == 0 ? row[c] + pad : "  " + pad + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace trainyard
