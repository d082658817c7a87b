#include "data/table_rows.hpp"

#include <algorithm>

namespace trainyard {

namespace {

constexpr std::size_t none = std::string_view::npos;

/// One past the quotes that begin at `open`; none: they do not end.
std::size_t quotes_end(std::string_view text, std::size_t open) {
  for (std::size_t at = open + 1;; at += 2) {
    at = text.find('"', at);
    if (at == none) return none;
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
  }
}

struct Quoted {
  std::size_t end = 0;  // of the field, at its separator or newline
  bool unfinished = false;
};

/// The field in quotes at `open`. Quotes that do not end as they should are no quotes: the field
/// ends as one without them.
Quoted quoted(std::string_view text, std::size_t open, char separator, bool whole) {
  const std::string_view near = text.substr(0, open + most_quoted_bytes);
  std::size_t end = quotes_end(near, open);
  if (end == none && !whole && near.size() == text.size()) return {open, true};
  if (end != none) {
    while (end < text.size() && text[end] == ' ' && separator != ' ') ++end;
    if (end == text.size() || text[end] == '\n' || text[end] == '\r' || text[end] == separator ||
        (separator == ' ' && text[end] == '\t')) {
      return {end, false};
    }
  }
  const std::size_t newline = std::min(text.find('\n', open), text.size());
  return {std::min(text.find(separator, open), newline), false};
}

}  // namespace

std::size_t row_end(std::string_view text, char separator, bool whole) {
  std::size_t newline = text.find('\n');
  if (text.substr(0, newline).find('"') == none) return newline;
  for (std::size_t at = 0;;) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] == '"') {
      const Quoted field = quoted(text, at, separator, whole);
      if (field.unfinished) return none;
      at = field.end;
      if (newline < at) newline = text.find('\n', at);
    }
    const std::size_t next = std::min(text.find(separator, at), text.size());
    if (next >= std::min(newline, text.size())) return newline;
    at = next + 1;
  }
}

Row fields_of(std::string_view line, char separator) {
  Row row;
  std::string unquoted;
  const char* const end = line.data() + line.size();
  for (const char* next = line.data(); next != nullptr;) {
    const Field field = next_field(next, end, separator, unquoted);
    row.emplace_back(field.text);
    next = field.next;
  }
  return row;
}

std::vector<Row> rows_of(std::string_view text, char separator, std::size_t most) {
  std::vector<Row> rows;
  for_each_table_row(text, separator, [&](std::size_t, std::string_view line) {
    if (!is_blank_line(line)) rows.push_back(fields_of(line, separator));
    return rows.size() < most;
  });
  return rows;
}

}  // namespace trainyard
