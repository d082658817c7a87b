// Finds out whether the columns of a table hold numbers or words, and which words.
#pragma once

#include <string>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/table_layout.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

/// Words that a column may hold: more are names of rows, and no categories.
inline constexpr std::size_t most_words = 1000;

/// Reads `blocks` to their end and fills in the categories and class names of `schema`, which is
/// that of numeric_schema(), and the earliest of dates. Says in `remarks` which columns are words,
/// and which of them are better left out.
/// Throws DataError where a column of words has too many, or the labels are one word only.
void scan_words(TextBlocks& blocks, const TableHead& head, const ReadOptions& options,
                TableSchema& schema, std::vector<std::string>& remarks);

}  // namespace trainyard
