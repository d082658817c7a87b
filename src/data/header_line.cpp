// The first row is a header line where one of these holds:
// - it has a name that the user gave (--label-column y), or all those of the training file;
// - all of its fields are words, or empty, and either some column has a number in a row below, or
// it
//   looks like names among words: all of them differ, and none occurs again below;
// - it has a word above a column of numbers, and whole numbers beside it, all different, that
//   count or stand in no row below: years;
// - it counts, "0,1,2", as pandas names the columns of an array, or is a row of years above other
//   numbers. A remark says so, as it does of the one before.
// The first block of the file is looked at, 16 KiB at least. So a typing error in the first row of
// numbers is still one, and names above words that repeat one of them need --header yes.
#include "data/header_line.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/number_form.hpp"

namespace trainyard {

namespace {

/// The first rows, and what is asked of them.
class FirstRows {
 public:
  FirstRows(const std::vector<Row>& rows, const TableDialect& dialect)
      : rows_(&rows), dialect_(&dialect) {}

  const Row& first() const { return rows_->front(); }

  bool look_like_names_and_rows() const {
    if (rows_->size() < 2) return false;
    const bool words = std::ranges::all_of(
        first(), [&](const std::string& f) { return f.empty() || dialect_->is_word(f); });
    const bool some = std::ranges::any_of(first(), [](const std::string& f) { return !f.empty(); });
    if (!words || !some) return false;
    const std::set<std::string> names(first().begin(), first().end());
    bool names_recur = false;
    for (std::size_t row = 1; row < rows_->size(); ++row) {
      for (const std::string& field : (*rows_)[row]) {
        if (is_number(field)) return true;
        names_recur = names_recur || (!field.empty() && names.contains(field));
      }
    }
    return names.size() == first().size() && !names_recur;
  }

  /// Where the first row has a word and all others have numbers, or nothing.
  std::optional<std::size_t> word_above_numbers() const {
    for (std::size_t c = 0; c < first().size(); ++c) {
      if (dialect_->is_word(first()[c]) && has_numbers_below(c)) return c;
    }
    return {};
  }

  /// Words and whole numbers, all different, which names may be: the numbers count, or stand in
  /// none of their columns.
  bool could_be_names() const {
    const std::set<std::string> names(first().begin(), first().end());
    if (names.size() != first().size()) return false;
    long numbers = 0;
    bool count = true;
    bool recur = false;
    for (std::size_t c = 0; c < first().size(); ++c) {
      if (first()[c].empty() || dialect_->is_word(first()[c])) continue;
      const std::optional<long> number = whole_number(first()[c]);
      if (!number) return false;
      count = count && *number == numbers++;
      recur = recur || stands_below(c);
    }
    return !recur || (count && numbers > 1);
  }

  /// "0,1,2" or ",0,1".
  bool counts() const {
    const std::size_t unnamed = !first().empty() && first().front().empty() ? 1 : 0;
    for (std::size_t c = unnamed; c < first().size(); ++c) {
      if (whole_number(first()[c]) != static_cast<long>(c - unnamed)) return false;
    }
    return first().size() > unnamed + 1 && (rows_->size() < 2 || (*rows_)[1] != first());
  }

  /// "2019,2020,2021" above numbers that are no years.
  bool holds_years() const {
    return first().size() >= 2 && rows_->size() >= 2 && are_years(first()) &&
           !are_years((*rows_)[1]);
  }

  /// A third column, a first one without a name, or a number with decimals below makes it sure.
  bool surely_counts() const {
    if (first().size() > 2 || first().front().empty()) return true;
    return std::any_of(rows_->begin() + 1, rows_->end(), [&](const Row& row) {
      return std::ranges::any_of(
          row, [&](const std::string& field) { return is_number(field) && !whole_number(field); });
    });
  }

  std::string first_text() const {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> named;
    for (const std::string& field : first()) {
      if (named.size() == most_named) {
        named.emplace_back("…");
        break;
      }
      named.push_back(field.empty() ? "(empty)" : echoed(field));
    }
    return joined(named);
  }

 private:
  bool is_number(const std::string& field) const {
    return !dialect_->is_missing(field) && !dialect_->is_word(field);
  }

  bool stands_below(std::size_t column) const {
    return std::any_of(rows_->begin() + 1, rows_->end(), [&](const Row& row) {
      return column < row.size() && row[column] == first()[column];
    });
  }

  bool has_numbers_below(std::size_t column) const {
    std::size_t numbers = 0;
    for (std::size_t row = 1; row < rows_->size(); ++row) {
      if (column >= (*rows_)[row].size()) continue;
      const std::string& field = (*rows_)[row][column];
      if (dialect_->is_word(field)) return false;
      if (is_number(field)) ++numbers;
    }
    return numbers > 0;
  }

  static bool are_years(const Row& row) {
    std::optional<long> before;
    for (const std::string& field : row) {
      const std::optional<long> year = whole_number(field);
      if (!year || *year < 1500 || *year > 2500 || (before && *year <= *before)) return false;
      before = year;
    }
    return true;
  }

  const std::vector<Row>* rows_;
  const TableDialect* dialect_;
};

/// A test file of a training file with names has them, too, in its first row.
bool has_names_of(const TableSchema& schema, const Row& row) {
  return schema.has_names && std::ranges::all_of(schema.columns, [&](const TableColumn& column) {
           return std::ranges::count(row, column.name) > 0;
         });
}

/// Whether the user gave a name that stands in the row, and is no number of a column.
bool has_name_given(const ReadOptions& options, const Row& row) {
  const TableOptions& table = options.table;
  for (const std::string& list :
       {options.label_column, options.group_column, table.weight_column, table.columns,
        table.drop_columns, table.categorical, table.numeric, table.date, table.scale_columns}) {
    for (const std::string& name : fields_of(list, ',')) {
      if (!name.empty() && !whole_number(name) && std::ranges::count(row, name) > 0) return true;
    }
  }
  return false;
}

std::string taken_for_names(const std::string& file, std::size_t line, const FirstRows& rows) {
  return fmt::format(
      "note: {}: line {} ({}) is taken for the names of columns; --header no takes it for a row",
      file, line, rows.first_text());
}

}  // namespace

HeaderGuess guess_header(const std::string& file, std::size_t line, const std::vector<Row>& all,
                         const TableDialect& dialect, const ReadOptions& options) {
  if (options.table.header != HeaderLine::automatic) {
    return {options.table.header == HeaderLine::yes, ""};
  }
  const FirstRows rows(all, dialect);
  if (options.schema != nullptr) {
    return {rows.look_like_names_and_rows() || has_names_of(*options.schema, rows.first()), ""};
  }
  if (has_name_given(options, rows.first()) || rows.look_like_names_and_rows()) return {true, ""};
  if (rows.counts()) {
    if (rows.surely_counts()) return {true, taken_for_names(file, line, rows)};
    return {false,
            fmt::format("warning: {}: line {} ({}) is taken for a row; --header yes takes it "
                        "for names, as pandas writes them",
                        file, line, rows.first_text())};
  }
  if (rows.holds_years()) return {true, taken_for_names(file, line, rows)};
  const std::optional<std::size_t> word = rows.word_above_numbers();
  if (!word) return {};
  if (rows.could_be_names()) return {true, taken_for_names(file, line, rows)};
  throw DataError(
      fmt::format("{}: line {}: found {} above numbers; expected a number, or a header line "
                  "(--header yes takes "
                  "line {} for one)",
                  file, line, echoed(rows.first()[*word]), line));
}

}  // namespace trainyard
