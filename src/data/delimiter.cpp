// The separator of a table is seen in its first lines. A candidate must cut nine in ten of them
// into as many fields, two at least. Where the first line has words alone, and one candidate cuts
// it and the lines below alike, it is that one: "Preis;Kunde" has no comma, but "98,20;Maier, Hans"
// has two. Of several it is the one that leaves most numbers, since "0;1,5" has two fields by its
// comma and no number; and then the one that leaves most fields.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
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

/// Fields of several numbers, "0 1.5", are no names either.
bool begins_like_number(const std::string& field) {
  return !field.empty() && std::string_view("+-.0123456789").find(field[0]) != std::string::npos;
}

/// Rows below the header line have as many fields as it, or a separator more at their ends.
bool fits_below(const std::vector<Row>& rows) {
  const std::size_t width = rows.front().size();
  const auto fit = std::count_if(rows.begin() + 1, rows.end(), [&](const Row& row) {
    return row.size() == width || (row.size() == width + 1 && row.back().empty());
  });
  return rows.size() > 1 && 10 * static_cast<std::size_t>(fit) >= 9 * (rows.size() - 1);
}

/// The only candidate in a first line of words, which are then names; 0: there is none.
char separator_of_header(std::string_view sample, std::span<const char> candidates) {
  char found = 0;
  for (const char candidate : candidates) {
    const std::vector<Row> rows = rows_of(sample, candidate, most_lines);
    if (rows.empty() || rows.front().size() < 2) continue;
    const bool words = std::ranges::none_of(rows.front(), begins_like_number);
    if (found != 0 || !words || !fits_below(rows)) return 0;
    found = candidate;
  }
  return found;
}

}  // namespace

char find_separator(std::string_view sample, char fallback) {
  // The last line may be cut off in the middle, by quotes.
  constexpr std::array<char, 4> candidates{',', '\t', ';', '|'};
  if (const char of_header = separator_of_header(sample, candidates)) return of_header;
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
