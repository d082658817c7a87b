// Whether the first row of a table names its columns.
//
// Threads: any; a function of its arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/table_dialect.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

struct HeaderGuess {
  bool header = false;
  std::string remark;  // for the user, where the row may be meant otherwise; else empty
};

/// `rows` are the first ones of `file`, and `line` is that of the first. REQUIRES: there is one.
/// Throws DataError where the first row has a word above numbers and is no header line either.
HeaderGuess guess_header(const std::string& file, std::size_t line, const std::vector<Row>& rows,
                         const TableDialect& dialect, const ReadOptions& options);

}  // namespace trainyard
