#include "data/table_field.hpp"

#include <algorithm>
#include <array>

#include "data/parse_number.hpp"

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
  while (behind != line_end && *behind == ' ') ++behind;
  if (behind == line_end) return field;
  field.broken = *behind != separator;
  const char* next = std::find(behind, line_end, separator);
  if (next != line_end) field.next = next + 1;
  if (field.broken) field.text = {field.begin, static_cast<std::size_t>(next - field.begin)};
  return field;
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

bool is_missing(std::string_view text) {
  // Words that pandas takes for missing values, without "None", which is a category of many tables,
  // and the spellings of Windows' "1.#QNAN"; and "?", which the files of the UCI repository have.
  constexpr std::array<std::string_view, 11> words{"",     "?",   "NA",  "N/A",  "n/a", "#N/A",
                                                   "<NA>", "NaN", "nan", "NULL", "null"};
  return text.size() <= 4 && std::ranges::find(words, text) != words.end();
}

bool is_word(std::string_view text) {
  if (is_missing(text)) return false;
  const char* const end = text.data() + text.size();
  const ParsedFloat parsed = parse_float(text.data(), end);
  // parse_float() takes whatever begins like "nan" or "inf" for one of them.
  if (parsed.fault == NumberFault::not_finite) {
    if (text.front() == '+' || text.front() == '-') text.remove_prefix(1);
    constexpr std::array<std::string_view, 7> infinities{"inf",      "Inf",      "INF", "infinity",
                                                         "Infinity", "INFINITY", "nan"};
    return std::ranges::find(infinities, text) == infinities.end();
  }
  return parsed.end != end;
}

}  // namespace trainyard
