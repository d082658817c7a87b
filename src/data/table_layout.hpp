// Which column of a table is what: from its first row and the options, or from the training file's
// schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/table_dialect.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

/// Properties of the whole file that its beginning shows.
struct TableHead {
  std::size_t line = 0;            // where the first row is, from 1; 0 when there is none
  std::size_t columns = 0;         // of every row
  std::vector<std::string> names;  // [columns] of the header line; empty: there is none
  std::size_t skipped_lines = 0;   // up to the end of the header line
  TableDialect dialect;
  std::vector<std::size_t> row_numbers{};  // columns whose first rows count up by one, ten at least
  bool ends_empty = false;        // rows have a separator at their end that the header line has not
  std::size_t columns_below = 0;  // of the second row, where it was looked at; else 0
  std::string only_field{};       // the first row where it is a single column; else ""
  std::vector<std::string> remarks{};  // for the user

  /// "age", or "3" where the column has no name.
  std::string name_of(std::size_t column) const;
};

/// Looks at the first block of lines, which from here on are rows, and takes the header line away
/// from `blocks`. `fallback` is the separator where no other is seen. Throws DataError where the
/// file may be read in two ways.
TableHead read_head(TextBlocks& blocks, char fallback, const ReadOptions& options);

/// The separator of tables of this format, where nothing else is seen.
char usual_separator(Format format);

/// [columns]: those that `list` names, which is that of an option: "a,b,3". Throws OptionError
/// where one of them is not there, or two have its name.
std::vector<bool> chosen_columns(const std::string& file, const TableHead& head,
                                 std::string_view option, const std::string& list);

/// The column that `text` means, which is the value of that option, or what follows `before` there.
/// Throws OptionError as chosen_columns().
std::size_t column_of_option(const std::string& file, const TableHead& head,
                             std::string_view option, const std::string& text,
                             std::string_view before = "");

/// The column of ReadOptions::group_column, if one is asked for. Throws as column_of_option().
std::optional<std::size_t> group_column(const std::string& file, const TableHead& head,
                                        const ReadOptions& options);

bool all_differ(const std::vector<std::string>& names);

/// Throws DataError where there are too few columns for a label and a feature.
void check_head(const std::string& file, const TableHead& head, const ReadOptions& options);

/// The training file's schema as its head and the options have it: all columns are numbers but for
/// those that the options say otherwise of.
/// Throws OptionError where the options name a column that is not there, or two of one name.
TableSchema numeric_schema(const std::string& file, const TableHead& head,
                           const ReadOptions& options);

/// The use of each field of a row. A plain number is one that parse_float() reads; any other may
/// have a decimal comma, or something is subtracted from it before it is rounded to float.
struct ColumnPlan {
  enum class Use { ignored, label, weight, plain_number, any_number, words, date, hashed };
  Use use = Use::ignored;
  std::size_t first = 0;                                 // of its features
  const std::vector<std::string>* categories = nullptr;  // of words
  double subtracted = 0.0;                               // of any_number and date
  std::uint64_t seed = 0;                                // of hashed
  bool divides_rows = false;                             // besides its use
};

struct TablePlan {
  std::vector<ColumnPlan> columns;  // [columns of the file]
  std::size_t features = 0;
  std::size_t hashed = 0;  // of these, the last: rows are then sparse
  bool labelled = true;    // one of the columns is the label
  bool weighted = false;   // one of the columns holds the weights
  bool grouped = false;    // one of the columns divides the rows
  const std::vector<std::string>* class_names = nullptr;  // null: labels are numbers
};

/// For a file with this head: the training file itself, or a test file. Refers to `schema`;
/// `options` are those of reading the file. Throws DataError where a column of the schema is not
/// there; that of the label need not be where options.labels says so, and is passed over for
/// LabelUse::none. Nor need that of the weights be there where rows need no labels.
TablePlan plan_of(const std::string& file, const TableHead& head, const TableSchema& schema,
                  const ReadOptions& options);

/// [features]: whether scaling takes it, as TableOptions::scale_columns says; empty: it takes all.
std::vector<bool> scaled_features(const std::string& file, const TableHead& head,
                                  const ReadOptions& options, const TableSchema& schema);

/// A column as it is to be pasted behind an option that takes columns: "id", "'customer id'", and
/// in the quotes of a list where it has a comma.
std::string pasted_column(const std::string& name);

}  // namespace trainyard
