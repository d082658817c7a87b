// Options for users' own tables, CSV or TSV, which may hold more than numbers: a header line,
// words, and missing fields. src/data/csv.cpp has the rules of reading.
//
// Threads: values like any other: any number of threads may read one, and who writes one has it
// alone. fill_missing() uses the calling thread only.
#pragma once

#include <cstddef>
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

/// The treatment of fields without a value. These are an empty one, and NA, N/A, n/a, #N/A, <NA>,
/// NaN, nan, NULL, null and ?. error: the file is refused, with the first places. mean: the mean of
/// its column over the training rows; in a column of words the most frequent one. drop: its row is
/// left out. A label that is missing is refused unless rows are dropped.
enum class MissingFields { error, mean, drop };
/// "error", "mean", "drop". Throws UsageError, naming `what`.
MissingFields parse_missing_fields(std::string_view text, std::string_view what);
std::string missing_fields_text(MissingFields missing);

/// How a table is to be read. A column is meant by its name in the header line or by its number:
/// from 0, or -1 for the last, -2 for the one before it. A name that is a number is meant only
/// where the header has exactly that name.
struct TableOptions {
  HeaderLine header = HeaderLine::automatic;
  MissingFields missing = MissingFields::error;
  std::string columns;  // "a,b,3": the features that are kept; empty: all columns but the label
  std::string drop_columns;  // "id,name": those that are not

  bool operator==(const TableOptions&) const = default;
};

/// A column that features are made of.
struct TableColumn {
  std::size_t column = 0;  // in the training file, from 0
  std::string name;        // of the header line; the number where there is none
  std::size_t first = 0;   // of its features
  /// The words of a column, sorted; each is a feature that is 1 in the rows that hold it, and 0 in
  /// others. Empty for a column of numbers, which is one feature.
  std::vector<std::string> categories{};

  std::size_t features() const { return categories.empty() ? 1 : categories.size(); }
};

/// The layout of a training file, by which its test file is read too.
struct TableSchema {
  std::size_t file_columns = 0;
  bool has_names = false;  // there is a header line
  std::size_t label_column = 0;
  std::string label_name;
  std::vector<TableColumn> columns;  // in the training file's order
  std::size_t features = 0;
  std::vector<std::string> class_names;  // sorted; empty: the labels are numbers

  /// [features]: "age", or "colour=red" of words. Empty where no column has a name and all are
  /// numbers.
  std::vector<std::string> feature_names() const;
};

/// Fills what read_dataset() left as NaN for MissingFields::mean in both sets, from the rows of
/// `train`: the mean of a column of numbers, the most frequent category (the first of several) of a
/// column of words. Returns what was filled in, [features]. REQUIRES: both are dense and of this
/// schema, or `test` has no rows.
/// Throws DataError, naming the column, where no row of `train` has a value.
std::vector<double> fill_missing(const TableSchema& schema, Dataset& train, Dataset& test);

/// The same with what another file's rows gave.
void fill_missing_with(std::span<const double> filling, const TableSchema& schema, Dataset& data);

}  // namespace trainyard
