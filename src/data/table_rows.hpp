// The rows of a text that holds a table. A row ends with its line, unless the line break lies in
// quotes.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/base/text_file.hpp"

#include "data/table_field.hpp"

namespace trainyard {

/// So much may stand in quotes, line breaks and all. A quote that does not end by then is a fault
/// of its line, and has not swallowed the rest of the file.
inline constexpr std::size_t most_quoted_bytes = std::size_t{64} * 1024;

/// The newline that ends the row at the beginning of `text`. npos: there is none, or quotes that
/// begin in the row end in no line of `text` and might in a later one, where it is not `whole`.
std::size_t row_end(std::string_view text, char separator, bool whole);

/// for_each_line() of rows: handle(number of its first line, row). Says how many lines there were.
template <typename Handle>
std::size_t for_each_table_row(std::string_view text, char separator, Handle&& handle) {
  if (text.find('"') == std::string_view::npos) {
    return for_each_line(text, std::forward<Handle>(handle));
  }
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = row_end(text, separator, true);
    std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t number = lines + 1;
    for (std::size_t at = 0; (at = row.find('\n', at)) != std::string_view::npos; ++at) ++lines;
    ++lines;
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (!handle(number, row)) break;
  }
  return lines;
}

using Row = std::vector<std::string>;

Row fields_of(std::string_view line, char separator);

/// The rows of `text` that are not blank, up to `most`.
std::vector<Row> rows_of(std::string_view text, char separator, std::size_t most);

}  // namespace trainyard
