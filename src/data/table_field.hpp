// The fields of a line of a table, as RFC 4180 writes them: one in quotes may hold separators, line
// breaks, and a quote that is written twice. Blanks around a field are no part of it; where they
// separate fields, any number of them does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/text_position.hpp"

namespace trainyard {

struct Field {
  std::string_view text;        // without quotes
  const char* begin = nullptr;  // in the line, quotes included
  const char* next = nullptr;   // of the next field; null: this is the last
  bool in_quotes = false;
  bool broken = false;  // its quotes do not end, or something stands behind them

  TextPosition place(std::size_t line_number, const char* line_begin) const {
    return {line_number, static_cast<std::size_t>(begin - line_begin) + 1};
  }
};

/// The rest of next_field() for a field in quotes, which begins at `field.begin`.
Field quoted_field(Field field, const char* line_end, char separator, std::string& unquoted);

/// The same where blanks separate fields.
Field blank_separated_field(Field field, const char* line_end, std::string& unquoted);

/// The field that begins at `begin`. Its text lies in the line or, where quotes in it are doubled,
/// in `unquoted`.
inline Field next_field(const char* begin, const char* line_end, char separator,
                        std::string& unquoted) {
  Field field;
  while (begin != line_end && *begin == ' ') ++begin;
  field.begin = begin;
  if (separator == ' ') return blank_separated_field(field, line_end, unquoted);
  if (begin != line_end && *begin == '"') return quoted_field(field, line_end, separator, unquoted);
  const std::string_view rest(begin, static_cast<std::size_t>(line_end - begin));
  const std::size_t length = rest.find(separator);
  const char* end = length == std::string_view::npos ? line_end : begin + length;
  if (end != line_end) field.next = end + 1;
  while (end != begin && end[-1] == ' ') --end;
  field.text = {begin, static_cast<std::size_t>(end - begin)};
  return field;
}

bool is_blank_line(std::string_view line);

}  // namespace trainyard
