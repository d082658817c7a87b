// Options for users' own tables, CSV or TSV, which may hold more than numbers: a header line,
// words, and missing fields. src/data/csv.cpp has the rules of reading.
//
// Threads: values like any other: any number of threads may read one, and who writes one has it
// alone. fill_missing() uses the calling thread only.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// Whether a table's first row names its columns; automatic: the row itself shows it.
enum class HeaderLine { automatic, yes, no };
/// "auto", "yes", "no". Throws UsageError, naming `what`.
HeaderLine parse_header_line(std::string_view text, std::string_view what);
std::string header_line_text(HeaderLine header);

/// The words that stand for a value that is not there, besides the empty field: those that pandas
/// takes for one, MySQL's, and that of the UCI repository's files. TableOptions may have others.
inline constexpr std::string_view default_missing_words =
    "NA,N/A,n/a,#N/A,<NA>,NaN,nan,NULL,null,None,\\N,?";

/// The treatment of fields without a value. error: the file is refused, with the first places.
/// mean: the mean of its column over the training rows; in a column of words the most frequent one.
/// drop: its row is left out. A label that is missing is refused unless rows are dropped.
enum class MissingFields { error, mean, drop };
/// "error", "mean", "drop". Throws UsageError, naming `what`.
MissingFields parse_missing_fields(std::string_view text, std::string_view what);
std::string missing_fields_text(MissingFields missing);

/// ",", ";", "|", "tab", "blanks" (any number of them) or "auto", which is 0: the file's first rows
/// show it. Throws UsageError, naming `what`.
char parse_delimiter(std::string_view text, std::string_view what);
std::string delimiter_text(char delimiter);

/// ".", "," or "auto", which is 0: the numbers of the file's first rows show it. Throws UsageError,
/// naming `what`.
char parse_decimal(std::string_view text, std::string_view what);
std::string decimal_text(char decimal);

/// "2^18", "1000" or "off", which is 0. Throws UsageError, naming `what`.
std::size_t parse_hash_size(std::string_view text, std::string_view what);
std::string hash_size_text(std::size_t size);

/// How a table is to be read. A column is meant by its name in the header line or by its number:
/// from 0, or -1 for the last, -2 for the one before it. A name that is a number is meant only
/// where the header has exactly that name; a name that two columns have means neither.
struct TableOptions {
  HeaderLine header = HeaderLine::automatic;
  MissingFields missing = MissingFields::error;
  std::string columns;  // "a,b,3": the features that are kept; empty: all columns but the label
  std::string drop_columns;   // "id,name": those that are not
  std::string weight_column;  // of the weights of rows, which is then no feature; empty: none
  char delimiter = 0;         // parse_delimiter(): ' ' is any number of blanks
  char decimal = 0;           // parse_decimal(): the other one of '.' and ',' groups thousands
  std::string categorical;    // columns whose values, numbers too, are words
  std::string numeric;        // columns of numbers, whatever they look like
  std::string date;           // columns of dates, which become days since the earliest
  std::string missing_words{default_missing_words};  // "NA,-999"
  // Columns of more words than are features each share so many features, a word's found by hashing;
  // the rows are then sparse. 0: such columns are refused.
  std::size_t hash = 0;
  std::string scale_columns;  // that scaling takes; empty: those of numbers and dates

  bool operator==(const TableOptions&) const = default;
};

/// What features are made of the fields of a column.
enum class ColumnKind {
  numbers,  // one
  words,    // one for each different word
  dates,    // one: days since the earliest
  hashed,   // words, which share features with those of other columns
};

/// A column that features are made of.
struct TableColumn {
  std::size_t column = 0;  // in the training file, from 0
  std::string name;        // of the header line; the number where there is none
  std::size_t first = 0;   // of its features
  /// The words of a column, sorted; each is a feature that is 1 in the rows that hold it, and 0 in
  /// others. Empty for columns of other kinds.
  std::vector<std::string> categories{};
  ColumnKind kind = ColumnKind::numbers;
  double first_day = 0.0;  // of dates: days since 1970-01-01

  /// Of its own.
  std::size_t features() const {
    if (kind == ColumnKind::hashed) return 0;
    return kind == ColumnKind::words ? categories.size() : 1;
  }
};

/// The layout of a training file, by which its test file is read too.
struct TableSchema {
  std::size_t file_columns = 0;
  bool has_names = false;  // there is a header line
  std::size_t label_column = 0;
  std::string label_name;
  std::optional<std::size_t> weight_column;  // of the weights of rows
  std::string weight_name;
  std::vector<TableColumn> columns;  // in the training file's order
  std::size_t features = 0;
  std::size_t hashed = 0;                // the last so many features are those of hashed words
  std::vector<std::string> class_names;  // sorted; empty: the labels are numbers
  char decimal = '.';                    // of its numbers
  std::vector<bool> scaled;              // [features]; empty: all

  /// [features]: "age", or "colour=red" of words. Empty where no column has a name and all are
  /// numbers.
  std::vector<std::string> feature_names() const;
};

/// Fills what read_dataset() left as NaN for MissingFields::mean in all sets, from the rows of
/// `train`: the mean of a column of numbers, the most frequent category (the first of several) of a
/// column of words. Returns what was filled in, [features], of words 1 and 0. REQUIRES: all are of
/// this schema, or have no rows.
/// Throws DataError, naming the column, where no row of `train` has a value.
std::vector<double> fill_missing(const TableSchema& schema, Dataset& train,
                                 std::initializer_list<Dataset*> others);

/// The same with what another file's rows gave.
void fill_missing_with(std::span<const double> filling, const TableSchema& schema, Dataset& data);

}  // namespace trainyard
