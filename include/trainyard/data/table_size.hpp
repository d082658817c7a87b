// How large a table becomes, before a row of it is made: for who takes files from anybody.
//
// Threads: any; a function of its arguments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trainyard/data/read.hpp"

namespace trainyard {

/// What `taker` takes at most: "the lab".
struct TableLimits {
  std::string_view taker;
  std::size_t columns;
  std::size_t numbers;  // rows × features, of which each word of a column is one
};

/// Rows get room for all columns of the first one and for all words of each column, so a few
/// megabytes may become gigabytes. The scan itself keeps no more than bytes. `bytes` are of a CSV
/// or TSV file, `name` stands for it. Throws DataError for a larger one, and where the scan finds
/// that it is no table.
void check_table_size(std::string_view bytes, const std::string& name, const ReadOptions& how,
                      const TableLimits& limits);

}  // namespace trainyard
