// The separator of a table is seen in its first lines. A candidate must cut nine in ten of them
// into as many fields, two at least. Of several it is the one that leaves most numbers, since
// "0;1,5" has two fields by its comma and no number; and then the one that leaves most fields.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "data/number_form.hpp"
#include "data/table_dialect.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_lines = 50;

struct Cut {
  double numbers = 0.0;     // the share of its fields that are numbers
  std::size_t columns = 0;  // of most rows
};

/// The columns that most of `rows` have, where nine in ten of them have as many.
std::size_t common_width(const std::vector<Row>& rows) {
  std::map<std::size_t, std::size_t> counts;
  for (const Row& row : rows) ++counts[row.size()];
  const auto most = std::ranges::max_element(
      counts, {}, [](const std::pair<const std::size_t, std::size_t>& c) { return c.second; });
  return 10 * most->second >= 9 * rows.size() ? most->first : 0;
}

bool is_number(const std::string& field) {
  return number_form(field) != NumberForm::no_number;
}

std::optional<Cut> cut_by(char separator, std::string_view sample) {
  const std::vector<Row> rows = rows_of(sample, separator, most_lines);
  if (rows.empty()) return {};
  Cut cut;
  cut.columns = common_width(rows);
  if (cut.columns < 2) return {};
  std::size_t fields = 0;
  std::size_t numbers = 0;
  for (const Row& row : rows) {
    fields += row.size();
    numbers += static_cast<std::size_t>(std::ranges::count_if(row, is_number));
  }
  cut.numbers = static_cast<double>(numbers) / static_cast<double>(fields);
  return cut;
}

}  // namespace

char find_separator(std::string_view sample, char fallback) {
  // The last line may be cut off in the middle, by quotes.
  constexpr std::array<char, 4> candidates{',', '\t', ';', '|'};
  char best = 0;
  std::tuple<double, std::size_t, bool> most;
  for (const char candidate : candidates) {
    const std::optional<Cut> cut = cut_by(candidate, sample);
    if (!cut) continue;
    const std::tuple rank{cut->numbers, cut->columns, candidate == fallback};
    if (best != 0 && rank <= most) continue;
    best = candidate;
    most = rank;
  }
  // Blanks stand in any text: they separate where that alone makes numbers, or nothing else does.
  const std::optional<Cut> blanks = cut_by(' ', sample);
  if (!blanks || (best != 0 && blanks->numbers <= std::get<0>(most))) {
    return best != 0 ? best : fallback;
  }
  return ' ';
}

}  // namespace trainyard
