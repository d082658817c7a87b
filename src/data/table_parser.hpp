// The rows of a table, as its plan has them.
//
// Threads: any; different blocks share nothing but the table.
#pragma once

#include <string>
#include <string_view>

#include "trainyard/data/read.hpp"

#include "data/parsed_block.hpp"
#include "data/table_layout.hpp"

namespace trainyard {

/// One table under way.
struct Table {
  const std::string& file;
  const ReadOptions& options;
  const TableHead& head;
  TablePlan plan;
  bool may_quote_line_breaks = true;  // else each line is a row, and quotes that do not end a fault
};

/// The rows of one block of text.
void parse_rows(const Table& table, std::string_view text, ParsedBlock& block);

}  // namespace trainyard
