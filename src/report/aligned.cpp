#include "trainyard/report/aligned.hpp"

#include <algorithm>
#include <string_view>

namespace trainyard {

std::size_t width_of(const std::string& text) {
  const auto first = std::string_view(text).substr(0, text.find('\n'));
  return static_cast<std::size_t>(
      std::ranges::count_if(first, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string aligned(const std::vector<TableRow>& rows) {
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
