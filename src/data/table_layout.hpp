// Which column of a table is what: from its first row and the options, or from the training file's
// schema.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/text_blocks.hpp"

namespace trainyard {

/// Properties of the whole file that its beginning shows.
struct TableHead {
  std::size_t line = 0;            // where the first row is, from 1; 0 when there is none
  std::size_t columns = 0;         // of every row
  std::vector<std::string> names;  // [columns] of the header line; empty: there is none
  std::size_t skipped_lines = 0;   // up to the header line, which is the last of them

  /// "age", or "3" where the column has no name.
  std::string name_of(std::size_t column) const;
};

/// Looks at the first block of lines, and takes the header line away from `blocks`.
TableHead read_head(TextBlocks& blocks, char separator, const ReadOptions& options);

/// Throws DataError where there are too few columns for a label and a feature.
void check_head(const std::string& file, const TableHead& head, const ReadOptions& options);

/// The training file's schema as its head and the options have it, all columns numbers.
/// Throws OptionError where the options name a column that is not there.
TableSchema numeric_schema(const std::string& file, const TableHead& head,
                           const ReadOptions& options);

/// The use of each field of a row.
struct ColumnPlan {
  enum class Use { ignored, label, number, words };
  Use use = Use::ignored;
  std::size_t first = 0;                                 // of its features
  const std::vector<std::string>* categories = nullptr;  // of words
};

struct TablePlan {
  std::vector<ColumnPlan> columns;  // [columns of the file]
  std::size_t features = 0;
  const std::vector<std::string>* class_names = nullptr;  // null: labels are numbers
  bool labelled = true;                                   // a column holds the label
};

/// For a file with this head: the training file itself, or a test file. Refers to `schema`.
/// Throws DataError where a column of the schema is not there; that of the label need not be where
/// `labels` says so, and is passed over for LabelUse::none.
TablePlan plan_of(const std::string& file, const TableHead& head, const TableSchema& schema,
                  LabelUse labels);

}  // namespace trainyard
