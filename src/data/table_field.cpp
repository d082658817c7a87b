#include "data/table_field.hpp"

#include <algorithm>

namespace trainyard {

Field quoted_field(Field field, const char* line_end, char separator, std::string& unquoted) {
  field.in_quotes = true;
  const char* const first = field.begin + 1;
  const char* end = first;  // the quote that closes it
  bool doubled = false;
  for (;; end += 2) {
    end = std::find(end, line_end, '"');
    if (end == line_end) {
      field.broken = true;
      field.text = {field.begin, static_cast<std::size_t>(line_end - field.begin)};
      return field;
    }
    if (end + 1 == line_end || end[1] != '"') break;
    doubled = true;
  }
  field.text = {first, static_cast<std::size_t>(end - first)};
  if (doubled) {
    unquoted.clear();
    for (const char* c = first; c != end; ++c) {
      unquoted += *c;
      if (*c == '"') ++c;
    }
    field.text = unquoted;
  }
  const char* behind = end + 1;
  while (behind != line_end && *behind == ' ' && separator != ' ') ++behind;
  if (behind == line_end) return field;
  field.broken = *behind != separator;
  const char* next = std::find(behind, line_end, separator);
  if (next != line_end) field.next = next + 1;
  if (field.broken) field.text = {field.begin, static_cast<std::size_t>(next - field.begin)};
  return field;
}

Field blank_separated_field(Field field, const char* line_end, std::string& unquoted) {
  constexpr std::string_view blanks = " \t";
  const auto is_blank = [&](char c) { return blanks.find(c) != std::string_view::npos; };
  field.begin = std::find_if_not(field.begin, line_end, is_blank);
  const char* end = field.begin;
  if (end != line_end && *end == '"') {
    field = quoted_field(field, line_end, ' ', unquoted);
    if (field.next == nullptr) return field;
    end = field.next;
  } else {
    end = std::find_if(field.begin, line_end, is_blank);
    field.text = {field.begin, static_cast<std::size_t>(end - field.begin)};
  }
  const char* const next = std::find_if_not(end, line_end, is_blank);
  field.next = next == line_end ? nullptr : next;
  return field;
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace trainyard
